public import FunnelIndex
public import FunnelModel
import FunnelSystem

/// A group with the names that it is known by, and how far it came.
public struct ListedGroup: Hashable, Sendable {
  public var subject: String
  /// The attempt; nil if the flow counts by subject, or if the events name none.
  public var attempt: String?
  /// The time of the group's anchor; nil if it has none.
  public var anchor: Timestamp?
  /// The number of required steps matched.
  public var level = 0
  /// The index in the flow of the step that the group was on last; nil if it has no anchor.
  public var lastStep: Int?

  init(subject: String) { self.subject = subject }

  /// Returns whether a group comes before another: by the bytes of the subject, then of the attempt, then by the anchor.
  static func precedes(_ a: ListedGroup, _ b: ListedGroup) -> Bool {
    if !a.subject.utf8.elementsEqual(b.subject.utf8) { return a.subject.utf8.lexicographicallyPrecedes(b.subject.utf8) }
    let (attemptA, attemptB) = (a.attempt ?? "", b.attempt ?? "")
    if !attemptA.utf8.elementsEqual(attemptB.utf8) { return attemptA.utf8.lexicographicallyPrecedes(attemptB.utf8) }
    return (a.anchor?.milliseconds ?? .min) < (b.anchor?.milliseconds ?? .min)
  }
}

/// The groups that a number of a report stands for, by the counters of its projector that they raise.
public struct GroupSelection: Hashable, Sendable {
  /// Counters of which a group raises at least one.
  public var anyOf: Set<Int>
  /// Counters of which a group raises none.
  public var noneOf: Set<Int>

  public init(anyOf: Set<Int>, noneOf: Set<Int> = []) {
    self.anyOf = anyOf
    self.noneOf = noneOf
  }

  /// Returns for each of the counters whether a group has to raise it, or must not raise it.
  func roles(ofCounters count: Int) -> [CounterRole] {
    (0..<count).map { anyOf.contains($0) ? .wanted : noneOf.contains($0) ? .unwanted : .indifferent }
  }
}

/// What a counter that a group raises says about whether the group is listed.
enum CounterRole {
  case indifferent, wanted, unwanted
}

/// Lists the groups behind a number, in the same way as they are counted: by the outlines of the same projector.
public enum GroupListing {
  /// Returns the groups of one flow version that a selection describes, in the order of subjects and attempts.
  ///
  /// - Parameters:
  ///   - source: The histories, with names.
  ///   - flow: The index of the flow version in the catalog.
  ///   - projector: The projector whose counters the selection names.
  /// - Throws: The error of the source.
  public static func groups(
    of source: some SequenceSource, catalog: FlowCatalog, flow: Int, query: ReportQuery, projector: any Projector.Type,
    selection: GroupSelection, threads: Int
  ) throws(FunnelError) -> [ListedGroup] {
    precondition(query.needs.subjects, "groups are listed by the names of their subjects")
    let plan = FoldPlan(catalog: catalog, flows: [flow], query: query, projectors: [projector])
    let next = AtomicInteger(0)
    let partitionCount = source.partitionCount
    let workerCount = max(1, min(threads, partitionCount))
    let results = try Parallel.map(count: workerCount, threads: workerCount) { (_) throws(FunnelError) in
      var worker = FoldWorker(plan: plan, source: source, selection: selection)
      while true {
        let partition = next.add(1) - 1
        guard partition < partitionCount else { return worker.takeListed() }
        try source.forEachSequence(inPartition: partition) { worker.fold($0) }
      }
    }
    return results.flatMap(\.self).sorted(by: ListedGroup.precedes)
  }
}

/// Notes whether the counters that a group raises are those of a selection.
struct SelectionSink: ContributionSink {
  private var sink: GroupSink
  private let roles: [CounterRole]
  private var isWanted = false
  private var isUnwanted = false

  init(sink: GroupSink, roles: [CounterRole]) {
    self.sink = sink
    self.roles = roles
  }

  /// Whether the group is listed.
  var isListed: Bool { isWanted && !isUnwanted }

  func milliseconds(at event: Int) -> Int64 { sink.milliseconds(at: event) }

  mutating func segmentNumber(at event: Int, stepEvents: UnsafeBufferPointer<UInt32>) -> Int? {
    sink.segmentNumber(at: event, stepEvents: stepEvents)
  }

  mutating func add(_ amount: Int, to counter: Int, in segment: Int) {
    switch roles[counter] {
    case .indifferent: break
    case .wanted: isWanted = true
    case .unwanted: isUnwanted = true
    }
  }

  mutating func record(_ milliseconds: Int64, of duration: Int, in segment: Int) {}

  mutating func take(_ note: Contribution.Note, in segment: Int) {}

  mutating func count(_ values: [PropertyValue], in slot: Int, of segment: Int) {}
}
