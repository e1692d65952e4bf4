package import FunnelModel
import FunnelProjections

/// Counts the groups with events in the period that a report excludes: those that never enter the first step,
/// and those that entered it before the period and again in it.
///
/// Many groups without a first step indicate that the wrong ID is used as the subject, or that the first step
/// is not logged.
final class EntryProjector: Projector {
  static let readsChain = false

  /// The counts of one flow version.
  typealias Row = FlowEntries

  private let query: FlowQuery
  // The counter IDs.
  private let groups = 0
  private let outsiders = 1
  private let entered = 2
  private let returned = 3

  init(_ query: FlowQuery) {
    self.query = query
  }

  var counterCount: Int { 4 }
  var durationCount: Int { 0 }

  func contribute(_ events: GroupEvents, along chain: ChainMatch, into contribution: inout Contribution) {
    contributeStart(of: events, into: &contribution)
    let required = query.flow.requiredSteps
    guard let first = required.first, events.isInPeriod(0) else { return }
    contribution.beginSection(at: 0)
    contribution.count(groups)
    // If steps may come in any order, each of them enters the flow.
    let entering = query.matcher.matchesInOrder ? [first] : required
    let mask = entering.reduce(0 as UInt64) { $0 | 1 << UInt64($1) }
    if events.firstIndex(where: { $0.stepMask & mask != 0 }) == nil { contribution.count(outsiders) }
  }

  /// Counts the group as entered if its first anchor is in the period, or as returned if it began before the
  /// period and again in it.
  private func contributeStart(of events: GroupEvents, into contribution: inout Contribution) {
    guard query.countsReturned, let start = query.matcher.start(of: events) else { return }
    guard start.isInPeriod || start.isReturning else { return }
    contribution.beginSection(at: start.anchor)
    contribution.count(start.isInPeriod ? entered : returned)
  }

  func rows(from segments: SegmentedCounts) -> [FlowEntries] {
    var entries = FlowEntries(flow: query.flow)
    for segment in segments.all {
      entries.groups += segment[groups]
      entries.outsiders += segment[outsiders]
    }
    guard query.countsReturned else { return [entries] }
    entries.entered = segments.whole[entered]
    entries.returned = segments.whole[returned]
    return [entries]
  }
}

/// The number of groups with events of a flow version, and of those that the reports exclude.
package struct FlowEntries: Hashable, Sendable {
  package let flow: FlowDefinition
  package internal(set) var groups = 0
  /// The number of groups that never enter the first step.
  package internal(set) var outsiders = 0
  /// The number of groups whose first anchor is in the period, or 0 if ``returned`` is `nil`.
  package internal(set) var entered = 0
  /// The number of groups that began before the period and again in it, or `nil` if the query can't identify
  /// them (``FlowQuery/countsReturned``).
  package internal(set) var returned: Int?
}
