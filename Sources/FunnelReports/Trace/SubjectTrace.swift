package import FunnelDecoding
import FunnelIngest
package import FunnelModel

/// The events of one subject or one person in order, each with its effects in the flows that declare it.
package struct SubjectTrace: Sendable {
  /// An event with its effects.
  package struct Line: Sendable {
    package var event: SubjectEvent
    /// The person to whom the event belongs, or `nil` if all events of the trace belong to one.
    package var person: String?
    package var effects: [TraceEffect]
  }

  package var lines: [Line]
  /// The person whose events these are, or `nil` if they are those of one subject.
  package let person: String?

  /// Traces the events of a subject or a person.
  ///
  /// - Parameters:
  ///   - events: All events of the subject or the person, in order.
  ///   - person: The person, or `nil` for a subject.
  ///   - owners: The person of each event of a subject that several persons use, or `nil` if one person uses it. In flows that
  ///     count persons or entries, each has its own effects.
  ///   - flows: The catalog indices of the flow versions to trace.
  package init(
    _ events: [SubjectEvent], ofPerson person: String? = nil, owners: [String]? = nil, catalog: FlowCatalog, flows: Set<Int>,
    query: ReportQuery
  ) {
    precondition(owners.map { $0.count == events.count } ?? true, "each event has an owner, or none has")
    self.person = person
    lines = events.indices.map { Line(event: events[$0], person: owners?[$0], effects: []) }
    for flow in flows.sorted() {
      let definition = catalog.definitions[flow]
      let matches = Self.matches(of: events, flow: flow, stepCount: definition.steps.count)
      guard !matches.isEmpty else { continue }
      let parts = query.unit(of: definition).isOfPersons ? Self.divided(matches, by: owners) : [matches]
      for part in parts {
        for (index, effect) in FlowTrace(definition, query).effects(of: part, events) { lines[index].effects.append(effect) }
      }
    }
  }

  /// Returns the matches of each owner, in order, or all matches together if there are no owners.
  private static func divided(_ matches: [Match], by owners: [String]?) -> [[Match]] {
    guard let owners else { return [matches] }
    var numberOfOwner: [[UInt8]: Int] = [:]
    var parts: [[Match]] = []
    for match in matches {
      // Swift treats canonically equivalent strings as equal, so the bytes are compared.
      let owner = Array(owners[match.eventIndex].utf8)
      if let number = numberOfOwner[owner] {
        parts[number].append(match)
      } else {
        numberOfOwner[owner] = parts.count
        parts.append([match])
      }
    }
    return parts
  }

  /// The match of an event with one flow version. An event may have several.
  struct Match {
    let eventIndex: Int
    let entry: EventClassTable.Entry
  }

  /// Returns the matches of events with a flow version, in the order in which reports process them.
  private static func matches(of events: [SubjectEvent], flow: Int, stepCount: Int) -> [Match] {
    let matches = events.indices.flatMap { index in
      events[index].flowMatches.filter { Int($0.flow) == flow }.map { Match(eventIndex: index, entry: $0) }
    }
    // Simultaneous events are ordered by the steps that they enter, so the order can differ between flows.
    return matches.enumerated().sorted { a, b in
      let eventA = events[a.element.eventIndex]
      let eventB = events[b.element.eventIndex]
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
package struct TraceEffect: Hashable, Sendable {
  /// The flow version.
  package var app: String
  package var flow: String
  package var version: Int
  /// The steps that the event enters.
  package var enters: [String] = []
  /// Whether the event is the anchor of its group.
  package var isAnchor = false
  /// The step that the event matches, or `nil` if it matches none.
  package var match: Match?
  /// The permission that the event is about, or `nil` if there is none.
  package var permission: String?
  /// The suffix of an event about a permission, such as the answer, or `nil` for other events.
  package var decision: String?
  /// The outcome of the permission up to this event, or `nil` if the event is not about a prompted permission.
  package var grant: String?
  /// Whether the event is the last answer, given in the system's settings after a denial or a skip.
  package var isRecoveredViaSettings = false
  /// The outcome of the flow that the event represents, or `nil` if it represents none.
  package var outcome: String?
  /// Whether the event ends the chain because it is excluded.
  package var isExclusion = false
  /// The rules that the event breaks, each with its target if it has one.
  package var broken: [String] = []

  /// A match of a step.
  package struct Match: Hashable, Sendable {
    /// The ID of the step.
    package var step: String
    /// The number of required steps matched so far, or `nil` for an optional step.
    package var matchedStepCount: Int?
    /// The number of required steps of the flow.
    package var of: Int
  }
}
