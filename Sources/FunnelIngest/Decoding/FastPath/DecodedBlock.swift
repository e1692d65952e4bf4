package import FunnelImport
package import FunnelModel

/// A decoded block of input: events in canonical form, dead letters, and counts.
package struct DecodedBlock: Sendable {
  /// An event: the end of its record in `records` (it begins where the one before ends), and the keys for sorting and deduplication.
  package struct Event: Sendable {
    package var end: Int
    package var timestamp: Timestamp
    /// A hash of app, subject, name and id; zero if it is not wanted.
    package var identity: Hash128
    /// The index of its name in `unclaimedNames`, or -1 for an event that a flow declares.
    package var unclaimed: Int32
  }

  /// The file the block belongs to, as ``InputFile/path`` names it.
  package var file = ""
  /// The number of lines that were not blank.
  package var lineCount = 0
  /// The number of bytes of input.
  package var byteCount = 0
  /// The canonical records, each with its line break; empty if they are not wanted.
  package var records: [UInt8] = []
  package var events: [Event] = []
  package var deadLetters: [DeadLetter] = []
  /// What became of foreign records besides events.
  package var imports = ImportCounts()
  /// The number of lines of forgotten subjects, of which nothing is kept.
  package var forgottenCount = 0
  /// The events that no flow declares.
  package var unclaimedNames: [UnclaimedName] = []
  /// The recorder that noted more of the events, or nil if there is none.
  package var recorder: (any EventRecorder)?
}

extension DecodedBlock {
  /// The share of a commit's size limit that the block uses, in bytes. For usual lines it is less than their input. The shortest events
  /// have records several times as long. Rejected lines become JSON in which each of their bytes may take six, held twice while it is
  /// compressed; each is also an object of its own, of which up to three batches are held.
  var weight: Int {
    let events = (records.count + events.count * MemoryLayout<Event>.stride) / 4 * 3
    return deadLetters.reduce(events) { $0 + 2048 + $1.raw.count * 16 }
  }

  /// Calls a closure with each event and its record, which is empty if records were not wanted.
  package func forEachRecord(_ body: (Event, ArraySlice<UInt8>) -> Void) {
    var start = 0
    for event in events {
      body(event, records[start..<event.end])
      start = event.end
    }
  }
}

/// An event that no flow declares, named as the person who corrects the app's logging knows it.
public typealias UnclaimedName = EventTypeName

/// Records what it needs of each event of a block while the event's fields are available. It is handed over together with the block.
package protocol EventRecorder: AnyObject, Sendable {
  /// Records the next event, whose id is set.
  ///
  /// - Parameter facts: The facts of the event's type.
  func record(_ event: UnsafePointer<EventFields>, _ facts: UnsafeMutablePointer<EventTypes.Facts>)
}

/// The parts of decoded events that are wanted.
package struct DecodingWants: Sendable {
  /// Whether the canonical records are wanted: writing them takes time and memory.
  package var records: Bool
  /// Whether ``DecodedBlock/Event/identity`` is wanted. It is not needed if events are recognized by what a recorder noted.
  package var identities: Bool
  /// Makes the recorder of a block, or returns one that is free.
  package var makeRecorder: (@Sendable () -> any EventRecorder)?

  package init(records: Bool = true, identities: Bool = true, makeRecorder: (@Sendable () -> any EventRecorder)? = nil) {
    self.records = records
    self.identities = identities
    self.makeRecorder = makeRecorder
  }
}
