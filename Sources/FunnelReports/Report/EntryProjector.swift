import FunnelHistories
public import FunnelModel
import FunnelProjections

/// Counts the groups that have events of a flow and never enter its first step, so that they are in no number of any report.
///
/// Many of them mean that the wrong id was taken for the subject, or that the first step is not logged.
final class EntryProjector: Projector {
  static let readsChain = false

  /// The groups of one flow version.
  typealias Row = FlowEntries

  private let query: FlowQuery
  private let groups = 0
  private let outsiders = 1

  init(_ query: FlowQuery) {
    self.query = query
  }

  var counterCount: Int { 2 }
  var durationCount: Int { 0 }

  func outline(
    _ events: UnsafeBufferPointer<JourneyEvent>, along chain: ChainMatch, into outline: inout Outline
  ) {
    guard let first = query.flow.steps.firstIndex(where: { !$0.isOptional }), query.span.contains(events[0].milliseconds) else {
      return
    }
    outline.beginPart(at: 0)
    outline.count(groups)
    if !events.contains(where: { $0.kind.stepMask & (1 << UInt64(first)) != 0 }) { outline.count(outsiders) }
  }

  func rows(from segments: SegmentedCounts) -> [FlowEntries] {
    var entries = FlowEntries(flow: query.flow)
    for segment in segments.sized(by: groups) {
      entries.groups += segment[groups]
      entries.outsiders += segment[outsiders]
    }
    return [entries]
  }
}

/// How many groups have events of a flow version, and how many of these never enter its first step.
public struct FlowEntries: Hashable, Sendable {
  public let flow: FlowDefinition
  public internal(set) var groups = 0
  public internal(set) var outsiders = 0
}
