/// The parts of events that reports read in addition to event classes. Parts that are not needed are not loaded from the log.
package struct EventNeeds: Hashable, Sendable {
  /// The stored dimensions whose values are counted.
  package var dimensions: [Dimension] = []
  /// Whether event classes are distinguished by their ``EventDetail``.
  package var details = false
  /// Whether the texts of subjects are needed, not only their hashes.
  package var subjects = false
  /// Whether the texts of attempts are needed, not only their hashes.
  package var attempts = false

  /// The flow versions (``FlowDefinition/reference``) for whose events a dimension is needed. A dimension
  /// without an entry is needed for all of them.
  private var flowsOfDimension: [Dimension: Set<String>] = [:]

  /// Creates the needs of a report that reads event classes only.
  package init() {}

  /// Returns whether a dimension is needed for the events of at least one of some flow versions.
  package func needs(_ dimension: Dimension, forAnyOf flows: Set<String>) -> Bool {
    guard let needing = flowsOfDimension[dimension] else { return true }
    return !needing.isDisjoint(with: flows)
  }

  /// Adds the needs of another report for the events of a flow version.
  package mutating func formUnion(_ other: EventNeeds, of flow: FlowDefinition) {
    for dimension in other.dimensions {
      if !dimensions.contains(dimension) { dimensions.append(dimension) }
      flowsOfDimension[dimension, default: []].insert(flow.reference)
    }
    details = details || other.details
    subjects = subjects || other.subjects
    attempts = attempts || other.attempts
  }
}

extension ReportQuery {
  /// The stored dimensions whose values are read, without duplicates: those of ``by``, ``conditions`` and ``needs``.
  package var storedDimensions: [Dimension] {
    var stored: [Dimension] = []
    for dimension in (by + conditions.map(\.dimension) + needs.dimensions).compactMap(\.stored)
    where !stored.contains(dimension) {
      stored.append(dimension)
    }
    return stored
  }

  /// Whether segments or conditions depend on property or context values of events.
  package var readsEventValues: Bool { (by + conditions.map(\.dimension)).contains { $0.stored != nil } }

  /// Whether segments or conditions depend on the events of a step, including its completion.
  package var readsSteps: Bool {
    (by + conditions.map(\.dimension)).contains { if case .step = $0 { true } else { false } }
  }

  /// All parts of events that the query reads in addition to event classes: ``needs``, and those of ``by`` and ``conditions``.
  package var allNeeds: EventNeeds {
    var all = needs
    // Only the detail of an event shows that it completes a step.
    all.details = all.details || readsSteps
    all.subjects = all.subjects || conditions.contains { $0.dimension == .subject }
    return all
  }
}
