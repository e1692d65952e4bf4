import FunnelHistories
public import FunnelIngest
public import FunnelModel
import FunnelProjections

/// The events of one subject in order, each with its effects in the flows that declare it.
public struct SubjectTrace: Sendable {
  /// An event with its effects.
  public struct Line: Sendable {
    public var event: SubjectEvent
    public var effects: [TraceEffect]
  }

  public var lines: [Line]

  /// Traces the events of a subject.
  ///
  /// - Parameters:
  ///   - events: All events of the subject.
  ///   - flows: The catalog indices of the flow versions to trace.
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

  /// The match of an event with one flow version. An event may have several.
  struct Part {
    /// The index of the event.
    let place: Int
    let entry: EventClassTable.Entry
  }

  /// Returns the matches of events with a flow version, in the order in which reports process them.
  private static func parts(of events: [SubjectEvent], flow: Int, stepCount: Int) -> [Part] {
    let parts = events.indices.flatMap { place in
      events[place].claims.filter { Int($0.flow) == flow }.map { Part(place: place, entry: $0) }
    }
    // Simultaneous events are ordered by the steps that they enter, so the order can differ between flows.
    return parts.enumerated().sorted { a, b in
      let eventA = events[a.element.place]
      let eventB = events[b.element.place]
      if eventA.timestamp != eventB.timestamp { return eventA.timestamp < eventB.timestamp }
      if eventA.sequence != eventB.sequence { return eventA.sequence < eventB.sequence }
      let rankA = a.element.entry.kind.tieRank(stepCount: stepCount)
      let rankB = b.element.entry.kind.tieRank(stepCount: stepCount)
      if rankA != rankB { return rankA < rankB }
      if eventA.id != eventB.id { return eventA.id.utf8.lexicographicallyPrecedes(eventB.id.utf8) }
      return a.offset < b.offset
    }.map(\.element)
  }
}

/// The effects of an event in one flow version.
public struct TraceEffect: Hashable, Sendable {
  /// The flow version.
  public var app: String
  public var flow: String
  public var version: Int
  /// The steps that the event enters.
  public var enters: [String] = []
  /// Whether the event is the anchor of its group.
  public var isAnchor = false
  /// The step that the event matches, or `nil` if it matches none.
  public var match: Match?
  /// The permission that the event is about, or `nil` if there is none.
  public var permission: String?
  /// The suffix of an event about a permission, such as the answer, or `nil` for other events.
  public var decision: String?
  /// The outcome of the permission up to this event, or `nil` if the event is not about a prompted permission.
  public var grant: String?
  /// Whether the event is the last answer, given in the system's settings after a denial or a skip.
  public var isRecoveredViaSettings = false
  /// The outcome of the flow that the event represents, or `nil` if it represents none.
  public var outcome: String?
  /// Whether the event ends the chain because it is excluded.
  public var isExclusion = false
  /// The rules that the event breaks, each with its target if it has one.
  public var broken: [String] = []

  /// A match of a step.
  public struct Match: Hashable, Sendable {
    /// The ID of the step.
    public var step: String
    /// The number of required steps matched so far, or `nil` for an optional step.
    public var level: Int?
    /// The number of required steps of the flow.
    public var of: Int
  }
}
