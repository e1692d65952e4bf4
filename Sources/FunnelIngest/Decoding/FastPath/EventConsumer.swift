import FunnelImport
import FunnelModel

/// A receiver of the events and rejected lines of a block.
protocol EventConsumer: ~Copyable {
  /// Counts a line that is not blank.
  mutating func countLine()
  /// Takes an event, whose id is set.
  mutating func take(
    _ event: UnsafePointer<EventFields>, line: UnsafeRawBufferPointer, _ resolution: FlowResolver.Resolution,
    facts: UnsafeMutablePointer<EventTypes.Facts>, block: Int, with encoder: inout CanonicalEncoder)
  /// Counts an event of a forgotten subject instead of taking it.
  mutating func countForgotten()
  /// Takes a rejected line or record.
  mutating func refuse(_ reject: Rejection, _ text: RejectedText, at place: LineBlock.Place)
  /// Takes what became of the foreign records of a block besides events.
  mutating func add(_ aggregate: ImportCounts)
}

/// The text of a rejected line or record, valid until the consumer returns.
struct RejectedText {
  /// The line or record as the input has it, or its beginning if it is too long.
  var raw: UnsafeRawBufferPointer
  /// The length of the whole line or record in bytes.
  var byteCount: Int
  /// What should have been JSON: the line, or the record of CSV as JSON; nil if only the beginning is available.
  var json: UnsafeRawBufferPointer?
  /// The format of the record.
  var format = ImportFormat.native
  /// The header of the CSV that the record is from.
  var header: [UInt8]?

  init(raw: UnsafeRawBufferPointer, byteCount: Int, json: UnsafeRawBufferPointer?) {
    (self.raw, self.byteCount, self.json) = (raw, byteCount, json)
  }

  /// Creates the text of a record of a block.
  init(raw: UnsafeRawBufferPointer, byteCount: Int, json: UnsafeRawBufferPointer?, block: LineBlock) {
    self.init(raw: raw, byteCount: byteCount, json: json)
    format = block.format
    header = block.origins?.header
  }
}
