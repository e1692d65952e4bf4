public import FunnelModel

/// The event sequences of chosen subjects, filtered from a source that provides names.
public struct ChosenSubjects<Source: SequenceSource>: SequenceSource {
  private let source: Source
  private let subjects: Set<String>

  /// Filters a source, whose sequences must have names, by subjects.
  public init(_ subjects: Set<String>, of source: Source) {
    self.source = source
    self.subjects = subjects
  }

  public var kinds: [EventClassTable.Entry] { source.kinds }
  public var segments: SegmentTable { source.segments }
  public var measuredKeys: [String] { source.measuredKeys }
  public var contents: StoreContents { source.contents }
  public var partitionCount: Int { source.partitionCount }

  public func forEachSequence(
    inPartition number: Int, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    try source.forEachSequence(inPartition: number) { (sequence) throws(FunnelError) in
      guard let names = sequence.names else { preconditionFailure("subjects are chosen by their names") }
      if subjects.contains(names.subject) { try body(sequence) }
    }
  }
}
