public import FunnelModel

/// The histories of a source as they stood at an earlier moment: without the events after it, and without the subjects that had none.
public struct EarlierSequences<Source: SequenceSource>: SequenceSource {
  private let source: Source
  private let lastMilliseconds: Int64

  /// - Parameter moment: The moment of the last event that remains.
  public init(at moment: Timestamp, of source: Source) {
    self.source = source
    lastMilliseconds = moment.milliseconds
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
      var count = sequence.count
      while count > 0, sequence.times[count - 1] > lastMilliseconds { count -= 1 }
      if count > 0 { try body(sequence.prefix(count)) }
    }
  }

  public func releaseMemory(share number: Int, of count: Int) { source.releaseMemory(share: number, of: count) }
}

extension EventSequence {
  /// Returns the history of the first events.
  fileprivate func prefix(_ count: Int) -> EventSequence {
    EventSequence(
      count: count, kinds: kinds, times: times, attempts: attempts, rows: rows, measurements: measurements,
      positions: positions, names: names)
  }
}
