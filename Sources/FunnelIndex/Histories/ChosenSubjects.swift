public import FunnelModel

/// The histories of some subjects alone, out of those of a source that has names.
public struct ChosenSubjects<Source: HistorySource>: HistorySource {
  private let source: Source
  private let subjects: Set<String>

  public init(_ subjects: Set<String>, of source: Source) {
    self.source = source
    self.subjects = subjects
  }

  public var kinds: [KindTable.Entry] { source.kinds }
  public var segments: SegmentTable { source.segments }
  public var measuredKeys: [String] { source.measuredKeys }
  public var contents: StoreContents { source.contents }
  public var partitionCount: Int { source.partitionCount }

  public func forEachHistory(
    inPartition number: Int, _ body: (SubjectHistory) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    try source.forEachHistory(inPartition: number) { (history) throws(FunnelError) in
      guard let names = history.names else { preconditionFailure("subjects are chosen by their names") }
      if subjects.contains(names.subject) { try body(history) }
    }
  }
}
