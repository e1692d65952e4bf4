package import FunnelDecoding
package import FunnelStore

/// Detects events that a store already contains, and is notified of each commit.
///
/// The commands use the index of the store (`IndexedEvents`), which reads the store (``ScannedStore``) if its index is lost.
///
/// Three threads use an instance. The first calls ``record(_:)`` for each block and ``takeRecording()`` for each batch. The
/// second calls ``duplicates(in:_:)`` for each batch. The third calls ``noteCommitted(as:)`` for each batch, in the same
/// order. So a batch may be checked before earlier ones are committed: their events count as contained.
package protocol KnownEvents: AnyObject, Sendable {
  /// The information recorded about a batch's events.
  associatedtype Recording: Sendable

  /// The parts of events that the decoder must provide, such as records and identities.
  var wants: DecodingWants { get }
  /// Moves the recorded information out of a decoded block. Called for each block in order.
  func record(_ block: inout DecodedBlock)
  /// Returns the information recorded since the last call, which is that of one batch.
  func takeRecording() -> Recording

  /// Returns whether each event of a batch is a duplicate.
  ///
  /// An event is a duplicate if the store contains it, or if an earlier event of the batch has the same identity. The
  /// earlier one is the first by time and then by the bytes of its record.
  func duplicates(in batch: EventBatch, _ recording: Recording) throws -> [Bool]
  /// Completes the oldest batch that is checked but not completed.
  ///
  /// - Parameter commit: The commit, or `nil` if there is none, because nothing was new, in a dry run, or after an error. No
  ///   batch follows after an error.
  func noteCommitted(as commit: Commit?) throws
  /// Finishes after the last batch.
  func finish() throws
}
