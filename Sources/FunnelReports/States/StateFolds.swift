import FunnelModel

/// The folds in a sum of states, which must be distinct and have compatible periods.
///
/// Folds of the same period must not share a subject. Periods may be consecutive. A group is then counted in
/// each period in which it has an anchor. States with different values of `now` are compatible only if no group
/// of the earlier one was in progress, because its numbers could have changed since.
struct StateFolds: Sendable {
  /// The bounds of a period.
  private struct Bounds: Hashable {
    let since: Timestamp?
    let until: Timestamp?
  }

  /// The folds of one period.
  private struct Folds {
    let period: StatePeriod
    /// The name of the first state, for messages.
    let name: String
    /// The name of the state with the events of a fingerprint.
    var nameOfEvents: [[UInt8]: String] = [:]
  }

  private var folds: [Bounds: Folds] = [:]
  /// The longest conversion window of the counted flow versions, in milliseconds.
  var windowMax: Int64 = 0

  /// The number of periods that the states cover.
  var periodCount: Int { folds.count }

  /// Adds the folds of a state.
  ///
  /// - Throws: ``FunnelError`` (`unusableInput`) if a fold is already included, or the periods are incompatible.
  mutating func add(_ folds: [FoldIdentity], name: String) throws(FunnelError) {
    for fold in folds { try add(fold, name: name) }
  }

  private mutating func add(_ fold: FoldIdentity, name: String) throws(FunnelError) {
    let bounds = Bounds(since: fold.period.since, until: fold.period.until)
    var ofPeriod: Folds
    if let known = folds[bounds] {
      ofPeriod = known
      guard known.period.now == fold.period.now else {
        throw Self.difference(name, known.name, "--now is \(fold.period.now), not \(known.period.now)")
      }
    } else {
      for other in folds.values { try check(fold.period, name: name, beside: other) }
      ofPeriod = Folds(period: fold.period, name: name)
    }
    if let other = ofPeriod.nameOfEvents[fold.events], !fold.events.isEmpty {
      throw FunnelError(
        .unusableInput,
        "\(name.printable) counts events that \(other.printable) counts too, each state can be merged only once, leave one of them out"
      )
    }
    let whole = ofPeriod.nameOfEvents[FoldIdentity.wholeLog]
    if !fold.events.isEmpty, let other = whole ?? (fold.isOfWholeLog ? ofPeriod.nameOfEvents.first?.value : nil) {
      throw FunnelError(
        .unusableInput,
        "\(name.printable) counts people that \(other.printable) counts too, one of them covers the whole log, leave one of them out"
      )
    }
    ofPeriod.nameOfEvents[fold.events] = name
    folds[bounds] = ofPeriod
  }

  private func check(_ period: StatePeriod, name: String, beside other: Folds) throws(FunnelError) {
    guard period.precedes(other.period) || other.period.precedes(period) else {
      throw Self.difference(name, other.name, "their periods overlap: \(period.bounds), and \(other.period.bounds)")
    }
    let earlier = period.now < other.period.now ? period : other.period
    guard period.now == other.period.now || earlier.isOver(window: windowMax) else {
      throw Self.difference(name, other.name, "--now is \(period.now), not \(other.period.now)")
    }
  }

  private static func difference(_ name: String, _ other: String, _ what: String) -> FunnelError {
    FunnelError(
      .unusableInput, "\(name.printable) does not match \(other.printable), \(what), fold both with the same options")
  }

  /// The folds in the order of ``FoldIdentity``.
  var sorted: [FoldIdentity] {
    folds.values.flatMap { ofPeriod in
      ofPeriod.nameOfEvents.keys.map { FoldIdentity(period: ofPeriod.period, events: $0) }
    }.sorted { $0 < $1 }
  }

  /// Returns the period from the start of the first to the end of the last, with the latest `now`.
  ///
  /// - Throws: ``FunnelError`` (`unusableInput`) if there is a gap.
  func period() throws(FunnelError) -> StatePeriod {
    let periods = folds.values.map(\.period).sorted { ($0.since?.milliseconds ?? .min) < ($1.since?.milliseconds ?? .min) }
    guard let first = periods.first, let last = periods.last else { preconditionFailure("a sum of states has a first one") }
    for (before, after) in zip(periods, periods.dropFirst()) where before.until != after.since {
      throw FunnelError(
        .unusableInput,
        "no state covers the time from \(before.until?.description ?? "") to \(after.since?.description ?? ""), add the one that does"
      )
    }
    return StatePeriod(since: first.since, until: last.until, now: periods.map(\.now).max() ?? first.now)
  }
}

extension StatePeriod {
  /// The bounds in the form of the options that set them.
  fileprivate var bounds: String {
    let options = [since.map { "--since \($0)" }, until.map { "--until \($0)" }].compactMap(\.self)
    return options.isEmpty ? "all time" : options.joined(separator: " ")
  }
}

/// The identity of the events of one fold, which prevents counting the same events twice.
struct FoldIdentity: Hashable, Sendable {
  let period: StatePeriod
  /// A fingerprint of the events of 16 bytes, or ``wholeLog`` for all events of a log. Empty if there were no events.
  let events: [UInt8]

  /// The fingerprint of a whole log, which includes all subjects. No other state of the same period is
  /// compatible with it.
  static let wholeLog: [UInt8] = [1]

  var isOfWholeLog: Bool { events == Self.wholeLog }

  /// Compares folds by period, then by fingerprint, which makes the bytes of a state deterministic.
  static func < (left: FoldIdentity, right: FoldIdentity) -> Bool {
    let a = left.sortKey
    let b = right.sortKey
    return a != b ? a < b : left.events.lexicographicallyPrecedes(right.events)
  }

  private var sortKey: (Int64, Int64, Int64) {
    (period.since?.milliseconds ?? .min, period.until?.milliseconds ?? .max, period.now.milliseconds)
  }
}
