package import FunnelImport
package import FunnelModel

/// Receives the events and rejected lines of a block from a ``BlockDecoder``.
package protocol EventConsumer: ~Copyable {
  /// Counts a line that is not blank.
  mutating func countLine()
  /// Adds an event.
  ///
  /// - Parameters:
  ///   - event: The event, with its ID. It is valid until the function returns.
  ///   - line: The line that contains the event.
  ///   - resolution: The event's flow matches.
  ///   - facts: The facts of the event's type.
  ///   - block: The number of the block in its decoder.
  ///   - encoder: Writes the canonical record.
  mutating func take(
    _ event: UnsafePointer<EventFields>, line: UnsafeRawBufferPointer, _ resolution: FlowMatcher.Resolution,
    facts: UnsafeMutablePointer<EventTypes.Facts>, block: Int, with encoder: inout CanonicalEncoder)
  /// Counts an event or a dead letter of a forgotten subject, of which nothing is kept.
  mutating func countForgotten()
  /// Adds a rejected line or record.
  mutating func refuse(_ reject: Rejection, _ text: RejectedText, at place: LineBlock.Place)
  /// Adds the counts of the block's imported records.
  mutating func add(_ aggregate: ImportCounts)
}

/// The text of a rejected line or record, valid until the consumer returns.
package struct RejectedText {
  /// The line or record as it is in the input, or its beginning if it is too long.
  package var raw: UnsafeRawBufferPointer
  /// The length of the whole line or record in bytes.
  package var byteCount: Int
  /// The line, or the CSV record as JSON. `nil` if only the beginning of the text is available.
  package var json: UnsafeRawBufferPointer?
  /// The format of the record.
  package var format = ImportFormat.native
  /// The header of the CSV text, or `nil` if the record is not from CSV.
  package var header: [UInt8]?

  /// Creates the text of a line with a native event.
  package init(raw: UnsafeRawBufferPointer, byteCount: Int, json: UnsafeRawBufferPointer?) {
    self.raw = raw
    self.byteCount = byteCount
    self.json = json
  }

  /// Creates the text of a record in the format of a block.
  package init(raw: UnsafeRawBufferPointer, byteCount: Int, json: UnsafeRawBufferPointer?, block: LineBlock) {
    self.init(raw: raw, byteCount: byteCount, json: json)
    format = block.format
    header = block.origins?.header
  }
}
