/// The events and dead letters of one request, which are acknowledged together.
package struct SpoolBatch: Hashable, Sendable {
  /// Events: whole lines of NDJSON.
  package let events: [UInt8]
  /// Rejected records: whole lines as ``FunnelDecoding/DeadLetter`` writes them.
  package let deadLetters: [UInt8]

  /// Creates a batch.
  ///
  /// - Precondition: Both texts are empty or end in a line feed, and contain no zero byte.
  package init(events: [UInt8], deadLetters: [UInt8] = []) {
    precondition(Self.isWholeLines(events) && Self.isWholeLines(deadLetters), "a batch has whole lines")
    // Recovery takes a zero for the beginning of what a power failure lost.
    assert(!events.contains(0) && !deadLetters.contains(0), "a line of JSON has no zero byte")
    self.events = events
    self.deadLetters = deadLetters
  }

  /// The size of the batch in bytes.
  package var byteCount: Int { events.count + deadLetters.count }

  private static func isWholeLines(_ bytes: [UInt8]) -> Bool { bytes.isEmpty || bytes.last == UInt8(ascii: "\n") }
}

/// The reason why a batch is not on the disk. The client may send it again later.
package enum SpoolFailure: Error, Hashable, Sendable {
  /// The files in the spool have reached the limit of their size.
  case full
  /// Too many bytes wait to be written.
  case overloaded
  /// A write or a flush failed, for example on a full disk. The message is a sentence with the path and the reason.
  case failed(String)
  /// The spool was closed.
  case closed
}
