package import FunnelDecoding
package import FunnelModel

/// The retention periods, from the command line or from the flows.
package struct RetentionSpans {
  /// The rule that selects the events to drop.
  private enum Events {
    /// Each flow's definition says how long its events are kept.
    case ofFlows
    /// Events are kept for a time span, of some apps or of all, with some names or with any.
    case given(TimeSpan, apps: Set<String>, names: [NamePattern])
  }

  private let events: Events
  /// The time span to keep snapshots, or `nil` if it is not given.
  private let snapshots: TimeSpan?
  /// Whether events are dropped to the millisecond, otherwise by whole days.
  private let isExact: Bool

  /// Creates the periods that the flows define, in whole days.
  package init() {
    events = .ofFlows
    snapshots = nil
    isExact = false
  }

  /// Parses the options.
  ///
  /// - Throws: `usage` if a value is not a time span, app or pattern, if a time span is shorter than a day, if
  ///   snapshots would not outlive the events they count, or if apps or names are given without `events`.
  package init(events: String?, snapshots: String?, apps: [String], names: [String], isExact: Bool) throws(FunnelError) {
    let span = try events.map { (text) throws(FunnelError) in try Self.span(text, option: "--events") }
    self.snapshots = try snapshots.map { (text) throws(FunnelError) in try Self.span(text, option: "--snapshots") }
    self.isExact = isExact
    if let span, let snapshots = self.snapshots, snapshots.milliseconds <= span.milliseconds {
      throw FunnelError(
        .usage,
        "--snapshots \(snapshots) is not longer than --events \(span): every snapshot would be dropped at once, give a longer time"
      )
    }
    let knownApps = Set(try apps.map { (app) throws(FunnelError) in try AppName.checked(app) }.compactMap(\.self))
    let patterns = try names.map { (text) throws(FunnelError) in try Self.pattern(text) }
    if let span {
      self.events = .given(span, apps: knownApps, names: patterns)
    } else if apps.isEmpty, names.isEmpty {
      self.events = .ofFlows
    } else {
      throw FunnelError(.usage, "\(apps.isEmpty ? "--name" : "--app") says which events to drop, not when, add --events 30d")
    }
  }

  /// Returns the boundary between data to drop and data to keep.
  ///
  /// - Throws: `usage` if neither the command line nor a flow defines a retention period.
  package func cut(at now: Timestamp, catalog: FlowCatalog) throws(FunnelError) -> RetentionCut {
    var cut = RetentionCut()
    cut.snapshots = snapshots.map { firstDay($0, at: now) }
    switch events {
    case .ofFlows: try addFlows(of: catalog, to: &cut, at: now)
    case .given(let span, let apps, let names):
      let limit = RetentionCut.TimeLimit(from: start(span, at: now), apps: apps)
      cut.events = [RetentionCut.EventRule(limit, names: names)]
      // The event name of a rejected line is not known for certain.
      if names.isEmpty { cut.deadLetters = [limit] }
    }
    return cut
  }

  /// Adds the periods that the flows of a catalog define.
  private func addFlows(of catalog: FlowCatalog, to cut: inout RetentionCut, at now: Timestamp) throws(FunnelError) {
    var longestByApp: [String: TimeSpan] = [:]
    var snapshotSpans: [TimeSpan?] = []
    for (index, flow) in catalog.definitions.enumerated() {
      guard let retention = flow.retention, let span = retention.events else { continue }
      let start = start(span, at: now)
      cut.eventsOfFlows[index] = start
      let names = retention.also.compactMap { NamePattern($0) }
      if !names.isEmpty { cut.events.append(.init(.init(from: start, apps: [flow.app]), names: names)) }
      longestByApp[flow.app] = max(span, longestByApp[flow.app] ?? span)
      snapshotSpans.append(retention.snapshots)
    }
    guard !snapshotSpans.isEmpty || snapshots != nil else {
      throw FunnelError(
        .usage, "it is not known how long to keep events: give --events 30d, or \"retention\" in a flow's definition")
    }
    // The flow of a rejected line is not known, so the line is kept for the longest period of its app's flows.
    for (app, longest) in longestByApp.sorted(by: { $0.key < $1.key }) {
      cut.deadLetters.append(.init(from: start(longest, at: now), apps: [app]))
    }
    // A snapshot covers all flows, so it is kept for the longest of their periods, and for good if one has none.
    if snapshots == nil, !snapshotSpans.contains(nil), let longest = snapshotSpans.compactMap(\.self).max() {
      cut.snapshots = firstDay(longest, at: now)
    }
  }

  /// Returns the earliest time to keep.
  private func start(_ span: TimeSpan, at now: Timestamp) -> Timestamp {
    isExact ? Timestamp(milliseconds: now.milliseconds - span.milliseconds) : firstDay(span, at: now).midnight
  }

  /// Returns the earliest UTC day to keep.
  private func firstDay(_ span: TimeSpan, at now: Timestamp) -> CivilDate {
    Timestamp(milliseconds: now.milliseconds - span.milliseconds).day
  }

  private static func span(_ text: String, option: String) throws(FunnelError) -> TimeSpan {
    // Dropped data cannot be restored, so hours, which are easily typed by mistake, are not accepted.
    guard let span = TimeSpan(text), text.hasSuffix("d") || text.hasSuffix("w"), span.milliseconds > 0 else {
      throw FunnelError(
        .usage,
        "not a number of days, \(option) \(text.printable), write it as 30d or 12w, at least 1d and at most \(TimeSpan.longest)"
      )
    }
    return span
  }

  private static func pattern(_ text: String) throws(FunnelError) -> NamePattern {
    guard let pattern = NamePattern(text) else {
      throw FunnelError(
        .usage,
        "not a pattern of event names, --name \(text.printable), write lower-case letters, digits, underscores, and * for any of them"
      )
    }
    return pattern
  }
}
