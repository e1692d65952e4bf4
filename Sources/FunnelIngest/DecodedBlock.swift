package import FunnelModel

/// What a block of input came to: events in the log's form, dead letters, and counts.
package struct DecodedBlock<Sink: EventSink>: Sendable {
  /// One event: where its record ends in `records` (it begins where the one before ends), and what it is sorted and deduplicated by.
  package struct Event: Sendable {
    package var end: Int
    package var timestamp: Timestamp
    package var identity: Hash128
    /// The place of its name among `unclaimedNames`, or -1 for an event a flow declares.
    package var unclaimed: Int32
  }

  /// The file it is of, as ``InputFile/path`` names it.
  package var file = ""
  /// Lines that were not blank.
  package var lineCount = 0
  /// Bytes of input.
  package var byteCount = 0
  /// Canonical records, each with its line break.
  package var records: [UInt8] = []
  package var events: [Event] = []
  package var deadLetters: [DeadLetter] = []
  /// The events no flow declares.
  package var unclaimedNames: [UnclaimedName] = []
  /// What a report wants to know of the events besides.
  package var sink: Sink

  init(sink: Sink) {
    self.sink = sink
  }
}

/// An event that no flow declares, as the person mending the app's logging knows it.
public struct UnclaimedName: Hashable, Sendable {
  public var app: String
  public var flow: String?
  public var flowVersion: Int?
  public var name: String
  public var step: String?
}

/// Takes what it needs of each event while the event's fields are at hand.
package protocol EventSink: Sendable {
  /// Takes in the next event.
  mutating func append(_ event: borrowing EventFields, id: UnsafeRawBufferPointer, resolution: FlowResolver.Resolution)
}

/// Takes nothing: ingest needs the records alone.
package struct NoEventSink: EventSink {
  package init() {}

  @inline(__always)
  package mutating func append(_ event: borrowing EventFields, id: UnsafeRawBufferPointer, resolution: FlowResolver.Resolution)
  {}
}
