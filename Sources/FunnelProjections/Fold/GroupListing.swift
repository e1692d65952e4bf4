package import FunnelIndex
package import FunnelModel
import FunnelSystem

/// One group of a list: its subject and attempt, and its progress in the flow.
package struct ListedGroup: Hashable, Sendable {
  package var subject: String
  /// The attempt, or `nil` if the flow does not count by attempt or the group's events have no attempt.
  package var attempt: String?
  /// The time of the group's anchor, or `nil` if it has no anchor.
  package var anchor: Timestamp?
  /// The matched step count.
  package var matchedStepCount = 0
  /// The index in the flow of the last step that the group entered, or `nil` if it has no anchor.
  package var lastStep: Int?
  /// The last value of each key that was asked for, in their order; null for a key that the group's events lack.
  package var lastValues: [PropertyValue] = []

  /// Creates a group without an anchor.
  init(subject: String) { self.subject = subject }

  /// Returns whether a group comes before another: by the bytes of the subject, then of the attempt, then by the anchor.
  static func precedes(_ a: ListedGroup, _ b: ListedGroup) -> Bool {
    if !a.subject.utf8.elementsEqual(b.subject.utf8) { return a.subject.utf8.lexicographicallyPrecedes(b.subject.utf8) }
    let attemptA = a.attempt ?? ""
    let attemptB = b.attempt ?? ""
    if !attemptA.utf8.elementsEqual(attemptB.utf8) { return attemptA.utf8.lexicographicallyPrecedes(attemptB.utf8) }
    return (a.anchor?.milliseconds ?? .min) < (b.anchor?.milliseconds ?? .min)
  }
}

/// A selection of the groups behind a number of a report, by the counters that their contributions increment.
package struct GroupSelection: Hashable, Sendable {
  /// The IDs of counters of which a group must increment at least one.
  package var anyOf: Set<Int>
  /// The IDs of counters of which a group must not increment any.
  package var noneOf: Set<Int>

  /// Creates a selection.
  package init(anyOf: Set<Int>, noneOf: Set<Int> = []) {
    self.anyOf = anyOf
    self.noneOf = noneOf
  }

  /// Returns the role of each of `count` counters, by counter ID.
  func roles(ofCounters count: Int) -> [CounterRole] {
    (0..<count).map { anyOf.contains($0) ? .wanted : noneOf.contains($0) ? .unwanted : .indifferent }
  }
}

/// The groups that a worker lists, and the counters by which it selects them.
struct GroupList {
  /// The role of each counter in the selection, by counter ID.
  let roles: [CounterRole]
  /// The keys whose last values are listed.
  var keys: RowKeys
  var groups: [ListedGroup] = []
}

/// The role of a counter in a ``GroupSelection``.
enum CounterRole {
  /// The counter has no effect.
  case indifferent
  /// A group that increments the counter is selected.
  case wanted
  /// A group that increments the counter is not selected, even if it increments a wanted counter.
  case unwanted
}

/// Lists the groups behind a number of a report.
// Groups are selected by the contributions of the report's projector, so a list always agrees with the number.
package enum GroupListing {
  /// Returns the selected groups of one flow version, sorted by subject, attempt and time of the anchor.
  ///
  /// - Parameters:
  ///   - source: The source of the event sequences, with names.
  ///   - flow: The index of the flow version in the catalog.
  ///   - query: The query of the report, whose needs must include subjects.
  ///   - projector: The projector whose counter IDs the selection contains.
  ///   - keys: The keys whose last values are listed. The query's needs must include them.
  ///   - threads: The number of partitions to read at once. It does not affect the result.
  /// - Throws: The error of the source.
  package static func groups(
    of source: some SequenceSource, catalog: FlowCatalog, flow: Int, query: ReportQuery, projector: any Projector.Type,
    selection: GroupSelection, keys: [Dimension] = [], threads: Int
  ) throws(FunnelError) -> [ListedGroup] {
    precondition(query.needs.subjects, "groups are listed by the names of their subjects")
    precondition(keys.allSatisfy(query.needs.dimensions.contains), "a key that is listed is read")
    let plan = FoldPlan(catalog: catalog, flows: [flow], query: query, projectors: [projector])
    let next = AtomicInteger(0)
    let partitionCount = source.partitionCount
    let workerCount = max(1, min(threads, partitionCount))
    let results = try Parallel.map(count: workerCount, threads: workerCount) { (_) throws(FunnelError) in
      var worker = FoldWorker(plan: plan, source: source, selection: selection, listing: keys)
      while true {
        let partition = next.add(1) - 1
        guard partition < partitionCount else { return worker.listedGroups }
        try source.forEachSequence(inPartition: partition) { worker.fold($0) }
      }
    }
    return results.flatMap(\.self).sorted(by: ListedGroup.precedes)
  }
}
