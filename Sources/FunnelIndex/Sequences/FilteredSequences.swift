package import FunnelModel

/// A source of event sequences that skips or shortens those of another source. Everything else is that of the other one.
package protocol FilteredSequences: SequenceSource {
  associatedtype Source: SequenceSource
  /// The source of the unfiltered sequences.
  var source: Source { get }
}

extension FilteredSequences {
  package var eventClasses: [EventClassTable.Entry] { source.eventClasses }
  package var segments: SegmentTable { source.segments }
  package var measuredKeys: [String] { source.measuredKeys }
  package var contents: StoreContents { source.contents }
  package var partitionCount: Int { source.partitionCount }
  package var crowdedUsers: [CrowdedUser] { source.crowdedUsers }

  package func releaseMemory(share number: Int, of count: Int) { source.releaseMemory(share: number, of: count) }
}

/// The event sequences of chosen subjects, and of the persons to whom they belong, filtered from a source that provides names.
package struct ChosenSubjects<Source: SequenceSource>: FilteredSequences {
  package let source: Source
  private let subjects: Set<String>

  /// Filters a source, whose sequences must have names, by subjects.
  package init(_ subjects: Set<String>, of source: Source) {
    self.source = source
    self.subjects = subjects
  }

  package func forEachSequence(
    inPartition number: Int, upTo moment: Int64, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    try source.forEachSequence(inPartition: number, upTo: moment) { (sequence) throws(FunnelError) in
      guard let names = sequence.names else { preconditionFailure("subjects are chosen by their names") }
      if names.aliases.contains(where: subjects.contains) { try body(sequence) }
    }
  }
}

/// The event sequences of a source up to an earlier moment: later events are cut off, and subjects without
/// earlier events skipped.
package struct EarlierSequences<Source: SequenceSource>: FilteredSequences {
  package let source: Source
  private let lastMilliseconds: Int64

  /// Filters a source by time.
  ///
  /// - Parameter moment: The time of the latest events that remain.
  package init(at moment: Timestamp, of source: Source) {
    self.source = source
    lastMilliseconds = moment.milliseconds
  }

  package func forEachSequence(
    inPartition number: Int, upTo moment: Int64, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    try source.forEachSequence(inPartition: number, upTo: min(moment, lastMilliseconds), body)
  }
}
