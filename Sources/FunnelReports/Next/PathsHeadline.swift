import FunnelModel
import FunnelRendering

/// The result of a paths report in one sentence: the most frequent next event, and how many had no further event.
///
/// It counts the groups of all segments.
struct PathsHeadline {
  private let rows: [NextRow]
  private let path: PathQuery
  private let noun: CountedNoun
  private let groups: Int

  /// Creates the headline of one flow version.
  ///
  /// - Parameters:
  ///   - rows: The paths of all segments.
  ///   - path: The parameters of the report.
  ///   - noun: The noun for the groups of the flow.
  init(_ rows: [NextRow], along path: PathQuery, counting noun: CountedNoun) {
    self.rows = rows
    self.path = path
    self.noun = noun
    groups = rows.reduce(0) { $0 + $1.groups }
  }

  /// Returns the sentence without its full stop, or `nil` if nobody has the event.
  ///
  /// - Parameter isSoFar: Whether many groups are in progress, so that what they do later is missing.
  func phrase(isSoFar: Bool) -> Phrase? {
    guard groups > 0 else { return nil }
    let ended = rows.reduce(0) { $0 + $1.ended }
    let end = path.direction == .after ? "nothing more" : "nothing before"
    let clauses = [
      lead ?? Phrase(noun.counted(groups), .strong) + Phrase(" had \(path.key)"), goal,
      ended > 0
        ? Phrase("; \(HumanNumbers.count(ended))") + .shareInParentheses(ended, of: groups) + Phrase(" had \(end)") : nil,
      isSoFar ? Phrase(", so far") : nil,
    ]
    return clauses.compactMap(\.self).reduce(Phrase([]), +)
  }

  /// A clause about the most frequent next or preceding event, or `nil` if there is none or it can't be told.
  private var lead: Phrase? {
    let names = rows.flatMap { $0.next.compactMap(\.event.named) }.unique { $0 }
    let events = names.map { name in (name: name, count: self.bounds(of: name)) }
    guard let most = events.max(by: { $0.count.low < $1.count.low }), most.count.low == most.count.high else { return nil }
    let others = events.filter { $0.name != most.name }.map { $0.count.high } + [unnamedMax]
    guard others.allSatisfy({ $0 <= most.count.low }) else { return nil }
    // Without a rival, or with an equal one, the event has no rank.
    let isFirst = others.contains { $0 > 0 } && others.allSatisfy { $0 < most.count.low }
    let start = path.direction == .after ? "After" : "Right before"
    let verb = path.direction == .after ? "went on to" : "had"
    let counted = "\(HumanNumbers.count(most.count.low)) of \(noun.counted(groups))"
    let rank = isFirst ? ", more than \(path.direction == .after ? "to " : "")any other event" : ""
    return Phrase("\(start) \(path.key), ") + Phrase(counted, .strong) + .shareInParentheses(most.count.low, of: groups)
      + Phrase(" \(verb) ") + Phrase(most.name, .strong) + Phrase(rank)
  }

  /// Returns the least and the largest number of groups that can have an event next. They differ where the event is
  /// one of the rare events that share a branch.
  private func bounds(of name: String) -> (low: Int, high: Int) {
    rows.reduce((0, 0)) { sum, row in
      let own = row.next.first { $0.event == .named(name) }?.count
      return (sum.0 + (own ?? 0), sum.1 + (own ?? row.unnamedMax))
    }
  }

  /// The largest number of groups that can have an event that has no branch of its own in any segment.
  private var unnamedMax: Int { rows.reduce(0) { $0 + $1.unnamedMax } }

  /// A clause about the groups that had the goal, or `nil` without one.
  private var goal: Phrase? {
    guard let key = path.goal else { return nil }
    let count = rows.reduce(0) { $0 + ($1.goal?.groups ?? 0) }
    return Phrase("; \(HumanNumbers.count(count))") + .shareInParentheses(count, of: groups)
      + Phrase(" had \(key) \(path.direction.adverb)")
  }
}

extension NextRow {
  /// The number of groups that have no further event.
  fileprivate var ended: Int { next.first { $0.event == .end }?.count ?? 0 }

  /// The largest number of groups that can have one of the events that share a branch. Each of them has at most as many as
  /// the rarest event with a branch of its own.
  fileprivate var unnamedMax: Int {
    guard let others = next.first(where: { $0.event == .other })?.count else { return 0 }
    return min(others, next.filter { $0.event.named != nil }.map(\.count).min() ?? others)
  }
}

extension NextBranch.Event {
  /// The name of an event with a branch of its own, or `nil` for rare events and for the end of a path.
  fileprivate var named: String? {
    if case .named(let name) = self { return name }
    return nil
  }
}
