internal import FunnelIndex
internal import FunnelModel
internal import FunnelSystem

/// The histories of a source without those of internal subjects, which are counted.
struct ExternalSubjects<Source: SequenceSource>: SequenceSource {
  private let source: Source
  private let internalSubjects: InternalSubjects
  private let span: Range<Int64>
  private let leftOut: LeftOutSubjects

  /// - Parameters:
  ///   - source: The histories, with names.
  ///   - query: The query, whose period an internal subject must have an event in to be counted as left out.
  ///   - leftOut: The internal subjects that were found.
  init(_ source: Source, without internalSubjects: InternalSubjects, query: ReportQuery, leftOut: LeftOutSubjects) {
    self.source = source
    self.internalSubjects = internalSubjects
    self.leftOut = leftOut
    let since = query.since?.milliseconds ?? .min
    span = since..<max(since, query.until?.milliseconds ?? .max)
  }

  var kinds: [EventClassTable.Entry] { source.kinds }
  var segments: SegmentTable { source.segments }
  var measuredKeys: [String] { source.measuredKeys }
  var contents: StoreContents { source.contents }
  var partitionCount: Int { source.partitionCount }

  func forEachSequence(
    inPartition number: Int, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    try source.forEachSequence(inPartition: number) { (sequence) throws(FunnelError) in
      guard let names = sequence.names else { preconditionFailure("subjects are left out by their names") }
      guard internalSubjects.contains(names.subject) else { return try body(sequence) }
      if (0..<sequence.count).contains(where: { span.contains(sequence.times[$0]) }) { leftOut.insert(names.subject) }
    }
  }

  func releaseMemory(share number: Int, of count: Int) { source.releaseMemory(share: number, of: count) }
}

/// The subjects that were left out, each counted once however often the histories are read.
final class LeftOutSubjects: Sendable {
  private let subjects = Guarded<Set<[UInt8]>>([])

  func insert(_ subject: String) { subjects.withLock { _ = $0.insert(Array(subject.utf8)) } }

  var count: Int { subjects.withLock { $0.count } }
}
