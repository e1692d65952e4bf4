internal import FunnelIndex
internal import FunnelModel
internal import FunnelSystem

/// A source of event sequences that skips those of internal subjects (such as employees and test accounts) and counts
/// these subjects.
struct ExternalSubjects<Source: SequenceSource>: FilteredSequences {
  let source: Source
  private let internalSubjects: InternalSubjects
  private let span: Range<Int64>
  private let leftOut: LeftOutSubjects

  /// Creates a source from another one.
  ///
  /// - Parameters:
  ///   - source: The event sequences of all subjects, with names.
  ///   - internalSubjects: The subjects to skip.
  ///   - query: The query. An internal subject is counted only if it has an event in the query's period.
  ///   - leftOut: The collector of the internal subjects that were skipped.
  init(_ source: Source, without internalSubjects: InternalSubjects, query: ReportQuery, leftOut: LeftOutSubjects) {
    self.source = source
    self.internalSubjects = internalSubjects
    self.leftOut = leftOut
    let since = query.since?.milliseconds ?? .min
    span = since..<max(since, query.until?.milliseconds ?? .max)
  }

  /// The users that were not merged, of which those that the store lists as internal are marked.
  var crowdedUsers: [CrowdedUser] {
    source.crowdedUsers.map { crowd in
      var crowd = crowd
      crowd.isInternal = internalSubjects.contains(crowd.user)
      return crowd
    }
  }

  func forEachSequence(
    inPartition number: Int, upTo moment: Int64, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    try source.forEachSequence(inPartition: number, upTo: moment) { (sequence) throws(FunnelError) in
      guard let names = sequence.names else { preconditionFailure("subjects are left out by their names") }
      guard names.aliases.contains(where: internalSubjects.contains) else { return try body(sequence) }
      if (0..<sequence.count).contains(where: { span.contains(sequence.times[$0]) }) { leftOut.insert(names.person) }
    }
  }
}

/// A thread-safe set of the internal subjects that were skipped, which counts each subject once.
final class LeftOutSubjects: Sendable {
  private let subjects = Guarded<Set<[UInt8]>>([])

  /// Adds a subject.
  func insert(_ subject: String) { subjects.withLock { _ = $0.insert(Array(subject.utf8)) } }

  /// The number of distinct subjects.
  var count: Int { subjects.withLock { $0.count } }
}
