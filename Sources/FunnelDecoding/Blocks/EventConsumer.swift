package import FunnelImport
package import FunnelModel

/// Receives the events and rejected lines of a block from a ``BlockDecoder``.
package protocol EventConsumer: ~Copyable {
  /// Counts a line that is not blank.
  mutating func countLine()
  /// Adds an event.
  ///
  /// - Parameters:
  ///   - event: The event, with its ID.
  ///   - line: The line that contains the event.
  ///   - resolution: The event's flow matches.
  ///   - facts: The facts of the event's type.
  ///   - block: The number of the block in its decoder.
  ///   - encoder: Writes the canonical record.
  mutating func take(
    _ event: EventReference, line: Span<UInt8>, _ resolution: FlowMatcher.Resolution, facts: inout EventTypes.Facts, block: Int,
    with encoder: inout CanonicalEncoder)
  /// Counts an event or a dead letter of a forgotten subject, of which nothing is kept.
  mutating func countForgotten()
  /// Adds a rejected line or record.
  mutating func refuse(_ reject: Rejection, _ text: borrowing RejectedText, at place: LineBlock.Place)
  /// Adds a line that another process rejected.
  ///
  /// - Parameter place: The position of the block that contains the letter.
  mutating func takeOver(_ letter: DeadLetter, at place: LineBlock.Place)
  /// Adds the counts of the block's imported records.
  mutating func add(_ aggregate: ImportCounts)
}

extension EventConsumer where Self: ~Copyable {
  package mutating func takeOver(_ letter: DeadLetter, at place: LineBlock.Place) {
    refuse(
      Rejection(letter.reason, letter.message), RejectedText(raw: letter.raw.span, json: letter.raw.span), at: place)
  }
}

/// An ``EventConsumer`` that counts lines, imported records and forgotten events in one value.
package protocol CountingConsumer: EventConsumer, ~Copyable {
  /// The counts so far.
  var counts: InputCounts { get set }
}

extension CountingConsumer where Self: ~Copyable {
  @inline(__always)
  package mutating func countLine() { counts.lines += 1 }

  package mutating func add(_ aggregate: ImportCounts) { counts.imports.add(aggregate) }

  package mutating func countForgotten() { counts.rejected[.forgotten, default: 0] += 1 }
}

/// The text of a rejected line or record.
package struct RejectedText: ~Escapable {
  /// The line or record as it is in the input, or its beginning if it is too long.
  package let raw: Span<UInt8>
  /// The length of the whole line or record in bytes.
  package let byteCount: Int
  /// The line, or the record as JSON in the shape of its format. `nil` if only the beginning of the text is available.
  package let json: Span<UInt8>?
  /// The format of the record.
  package let format: ImportFormat
  /// The header of the CSV text, or `nil` if the record is not from CSV.
  package let header: [UInt8]?

  /// Creates the text of a whole line or record.
  ///
  /// - Parameters:
  ///   - raw: The line or record.
  ///   - json: The line, or the record as JSON in the shape of its format.
  ///   - block: The block of the record, or `nil` if the text is a line with a native event.
  @_lifetime(copy raw, copy json)
  init(raw: Span<UInt8>, json: Span<UInt8>, block: LineBlock? = nil) {
    self.raw = raw
    byteCount = raw.count
    self.json = json
    format = block?.format ?? .native
    header = block?.origins?.header
  }

  /// Creates the text of a line or record that is too long.
  ///
  /// - Parameters:
  ///   - beginning: The beginning of the line or record.
  ///   - byteCount: The length of the whole line or record in bytes.
  ///   - block: The block of the record, or `nil` if the text is a line with a native event.
  @_lifetime(copy beginning)
  init(beginning: Span<UInt8>, byteCount: Int, block: LineBlock? = nil) {
    raw = beginning.extracting(first: Limits.deadLetterRawBytesMax)
    self.byteCount = byteCount
    json = nil
    format = block?.format ?? .native
    header = block?.origins?.header
  }
}
