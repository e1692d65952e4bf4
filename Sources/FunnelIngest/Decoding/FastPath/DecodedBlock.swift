package import FunnelModel

/// What a block of input came to: events in the log's form, dead letters, and counts.
package struct DecodedBlock: Sendable {
  /// One event: where its record ends in `records` (it begins where the one before ends), and what it is sorted and deduplicated by.
  package struct Event: Sendable {
    package var end: Int
    package var timestamp: Timestamp
    /// A hash of app, subject, name and id; zero where it is not wanted.
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
  /// Canonical records, each with its line break; empty where they are not wanted.
  package var records: [UInt8] = []
  package var events: [Event] = []
  package var deadLetters: [DeadLetter] = []
  /// The file, if it begins with this block and is not one object a line.
  package var misshapenFile: MisshapenFile?
  /// Lines of somebody who was forgotten, of which nothing is kept.
  package var forgottenCount = 0
  /// The events no flow declares.
  package var unclaimedNames: [UnclaimedName] = []
  /// Who noted of the events what else is wanted; nil where nobody does.
  package var recorder: (any EventRecorder)?
}

extension DecodedBlock {
  /// What the block takes of a commit's room, in bytes. Those of usual lines weigh less than their input. The shortest events have records several times
  /// as long. Refused lines become JSON in which each of their bytes may take six, held twice while it is compressed; each is also an object of
  /// its own, of which up to three batches are held.
  var weight: Int {
    let events = (records.count + events.count * MemoryLayout<Event>.stride) / 4 * 3
    return deadLetters.reduce(events) { $0 + 2048 + $1.raw.count * 16 }
  }

  /// Hands out the events with their records, where records were wanted.
  package func forEachRecord(_ body: (Event, ArraySlice<UInt8>) -> Void) {
    var start = 0
    for event in events {
      body(event, records[start..<event.end])
      start = event.end
    }
  }
}

/// An event that no flow declares, as the person mending the app's logging knows it.
public typealias UnclaimedName = EventTypeName

/// Notes what it needs of each event of a block while the event's fields are at hand. It changes hands with the block.
package protocol EventRecorder: AnyObject, Sendable {
  /// Takes in the next event; its id is set.
  ///
  /// - Parameter facts: What is known of events of its app, flow, version, name and step.
  func record(_ event: UnsafePointer<EventFields>, _ facts: UnsafeMutablePointer<EventTypes.Facts>)
}

/// What is wanted of the events that are decoded.
package struct DecodingWants: Sendable {
  /// Whether the canonical records are: writing them takes time and room.
  package var records: Bool
  /// Whether ``DecodedBlock/Event/identity`` is. Who knows events again by what a recorder noted needs none.
  package var identities: Bool
  /// Makes the recorder of a block, or finds one that is free.
  package var makeRecorder: (@Sendable () -> any EventRecorder)?

  package init(records: Bool = true, identities: Bool = true, makeRecorder: (@Sendable () -> any EventRecorder)? = nil) {
    self.records = records
    self.identities = identities
    self.makeRecorder = makeRecorder
  }
}
