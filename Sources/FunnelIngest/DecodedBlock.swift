package import FunnelModel

/// What a block of input came to: events in the log's form, dead letters, and counts.
package struct DecodedBlock<Sink: EventSink>: Sendable {
  /// One event: where its record ends in `records` (it begins where the one before ends), and what it is sorted and deduplicated by.
  package struct Event: Sendable {
    package var end: Int
    package var timestamp: Timestamp
    package var identity: Hash128
    /// Hash of the line as it came in: equal lines are equal events.
    package var lineHash: UInt64
    /// The place of its name among `unclaimedNames`, or -1 for an event a flow declares.
    package var unclaimed: Int32
  }

  /// The file it is of, as ``InputFile/path`` names it.
  package var file = ""
  /// Lines that were not blank.
  package var lineCount = 0
  /// Bytes of input.
  package var byteCount = 0
  /// Canonical records, each with its line break; empty where the sink does without.
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

extension DecodedBlock {
  /// Hands out the events with their records, where the sink wanted records.
  package func forEachRecord(_ body: (Event, ArraySlice<UInt8>) -> Void) {
    var start = 0
    for event in events {
      body(event, records[start..<event.end])
      start = event.end
    }
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
  /// Whether the canonical records are wanted too: writing them takes time and room.
  var wantsRecords: Bool { get }
  /// Takes in the next event.
  mutating func append(_ event: EventFields, id: UnsafeRawBufferPointer, resolution: FlowResolver.Resolution)
}

/// Takes nothing: ingest needs the records alone.
package struct NoEventSink: EventSink {
  package var wantsRecords: Bool { true }

  package init() {}

  @inline(__always)
  package mutating func append(_ event: EventFields, id: UnsafeRawBufferPointer, resolution: FlowResolver.Resolution) {}
}
