package import FunnelImport
package import FunnelModel

/// The result of decoding a block of input: events in canonical form, dead letters, and counts.
package struct DecodedBlock: Sendable {
  /// The position of an event's record, and the keys for sorting and deduplication.
  package struct Event: Sendable {
    /// The end offset of the record in ``DecodedBlock/records``. It begins at the end of the previous record.
    package var end: Int
    package var timestamp: Timestamp
    /// A hash of app, subject, name and ID, or zero if identities are not wanted.
    package var identity: Hash128
    /// The index of the event's type in ``DecodedBlock/unclaimedNames``, or ``claimed``.
    package var unclaimed: Int32

    /// The ``unclaimed`` index of an event that a flow declares.
    static let claimed: Int32 = -1
  }

  /// The file the block belongs to, as ``InputFile/path`` names it.
  package var file = ""
  /// The number of lines that were not blank.
  package var lineCount = 0
  /// The number of bytes of input.
  package var byteCount = 0
  /// The canonical records, each with its line break. Empty if they are not wanted.
  package var records: [UInt8] = []
  /// The events, in the order of the input.
  package var events: [Event] = []
  /// The rejected lines, in the order of the input.
  package var deadLetters: [DeadLetter] = []
  /// The number of lines that another process had rejected before. They are among the rejected ones.
  package var takenOverCount = 0
  /// The counts of imported records.
  package var imports = ImportCounts()
  /// The number of lines of forgotten subjects, of which nothing is kept.
  package var forgottenCount = 0
  /// The types of events that no flow declares.
  package var unclaimedNames: [UnclaimedName] = []
  /// The recorder of the block's events, or `nil` if none was wanted.
  package var recorder: (any BlockRecorder)?
}

extension DecodedBlock {
  /// The amount that the block adds to a commit, in bytes, compared with the size limit of commits.
  package var weight: Int {
    // For usual lines, this is less than their input. The shortest lines have records several times as long.
    let events = (records.count + events.count * MemoryLayout<Event>.stride) / 4 * 3
    return deadLetters.reduce(events) { $0 + Self.deadLetterBytes + $1.raw.count * Self.deadLetterBytesPerByte }
  }

  /// The memory of a dead letter besides its text: the objects of up to three batches are held at a time.
  private static let deadLetterBytes = 2048
  /// The memory per byte of a rejected line: a byte takes up to six in JSON, which is held twice while it is
  /// compressed.
  private static let deadLetterBytesPerByte = 16

  /// Calls a closure with each event and its record, which is empty if records were not wanted.
  package func forEachRecord(_ body: (Event, ArraySlice<UInt8>) -> Void) {
    var start = 0
    for event in events {
      body(event, records[start..<event.end])
      start = event.end
    }
  }
}

/// The type of events that no flow declares, in the names that the app's logging uses.
package typealias UnclaimedName = EventTypeName

/// Records fields of the events of one block while they are being decoded. The ``DecodedBlock`` contains the recorder.
package protocol BlockRecorder: AnyObject, Sendable {
  /// Records the next event of the block.
  ///
  /// - Parameters:
  ///   - event: The event, with its ID.
  ///   - facts: The facts of the event's type.
  func record(_ event: EventReference, _ facts: inout EventTypes.Facts)
}

/// The optional parts of a ``DecodedBlock``.
package struct DecodingWants: Sendable {
  /// Whether the canonical records are wanted. Writing them takes time and memory.
  package var records: Bool
  /// Whether ``DecodedBlock/Event/identity`` is wanted.
  package var identities: Bool
  /// Returns a recorder for a block, new or reused. `nil` if no recorder is wanted.
  package var makeRecorder: (@Sendable () -> any BlockRecorder)?

  package init(records: Bool = true, identities: Bool = true, makeRecorder: (@Sendable () -> any BlockRecorder)? = nil) {
    self.records = records
    self.identities = identities
    self.makeRecorder = makeRecorder
  }
}
