import FunnelHistories
public import FunnelIngest
public import FunnelModel
import FunnelProjections

/// The events of one subject in order, each with what it did in the flows that fold it.
public struct SubjectTrace: Sendable {
  /// An event, and what it did.
  public struct Line: Sendable {
    public var event: SubjectEvent
    public var effects: [TraceEffect]
  }

  public var lines: [Line]

  /// Traces events.
  ///
  /// - Parameters:
  ///   - events: All events of the subject.
  ///   - flows: The indices in the catalog of the flow versions whose view is told.
  public init(_ events: [SubjectEvent], catalog: FlowCatalog, flows: Set<Int>, query: ReportQuery) {
    lines = events.map { Line(event: $0, effects: []) }
    for flow in flows.sorted() {
      let definition = catalog.definitions[flow]
      let parts = Self.parts(of: events, flow: flow, stepCount: definition.steps.count)
      guard !parts.isEmpty else { continue }
      for (place, effect) in FlowTrace(definition, query).effects(of: parts, events) {
        lines[place].effects.append(effect)
      }
    }
  }

  /// What one flow version reads an event as.
  struct Part {
    /// The index of the event.
    let place: Int
    let entry: EventClassTable.Entry
  }

  /// Returns what a flow version reads the events as, in the order of its groups.
  private static func parts(of events: [SubjectEvent], flow: Int, stepCount: Int) -> [Part] {
    let parts = events.indices.flatMap { place in
      events[place].claims.filter { Int($0.flow) == flow }.map { Part(place: place, entry: $0) }
    }
    // Events of one moment are ordered by the steps they enter in this flow, which may be others than those in another flow.
    return parts.enumerated().sorted { a, b in
      let (eventA, eventB) = (events[a.element.place], events[b.element.place])
      if eventA.timestamp != eventB.timestamp { return eventA.timestamp < eventB.timestamp }
      if eventA.sequence != eventB.sequence { return eventA.sequence < eventB.sequence }
      let (rankA, rankB) = (
        a.element.entry.kind.tieRank(stepCount: stepCount), b.element.entry.kind.tieRank(stepCount: stepCount)
      )
      if rankA != rankB { return rankA < rankB }
      if eventA.id != eventB.id { return eventA.id.utf8.lexicographicallyPrecedes(eventB.id.utf8) }
      return a.offset < b.offset
    }.map(\.element)
  }
}

/// What an event did in one flow version.
public struct TraceEffect: Hashable, Sendable {
  /// The flow version.
  public var app: String
  public var flow: String
  public var version: Int
  /// The steps that the event enters.
  public var enters: [String] = []
  /// Whether the group counts from this event.
  public var isAnchor = false
  /// The step that the event matches, and how many required steps are matched with it; an optional step has no level.
  public var match: Match?
  /// The permission that the event is about.
  public var permission: String?
  /// The answer that the event is, and the group's outcome so far.
  public var decision: String?
  public var grant: String?
  /// Whether this is the last answer, and one that was given in the system's settings after a denial or a skip.
  public var isRecoveredViaSettings = false
  /// The outcome of the flow that the event stands for.
  public var outcome: String?
  /// Whether the event ends the chain because it is excluded.
  public var isExclusion = false
  /// The rules that the event breaks, each with its target if it has one.
  public var broken: [String] = []

  public struct Match: Hashable, Sendable {
    public var step: String
    public var level: Int?
    public var of: Int
  }
}
