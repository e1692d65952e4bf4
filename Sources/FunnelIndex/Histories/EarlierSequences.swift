public import FunnelModel

/// The event sequences of a source up to an earlier moment: later events are cut off, and subjects without
/// earlier events skipped.
public struct EarlierSequences<Source: SequenceSource>: SequenceSource {
  private let source: Source
  private let lastMilliseconds: Int64

  /// Filters a source by time.
  ///
  /// - Parameter moment: The time of the latest events that remain.
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
  /// Returns the sequence of the first `count` events.
  fileprivate func prefix(_ count: Int) -> EventSequence {
    EventSequence(
      count: count, kinds: kinds, times: times, attempts: attempts, rows: rows, measurements: measurements,
      positions: positions, names: names)
  }
}
