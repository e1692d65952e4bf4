import CCSV
import FunnelDecoding

/// An incremental CSV parser that uses libcsv. It splits records into fields and decodes quotes (RFC 4180).
///
/// A field in quotes may contain delimiters and line breaks, and a quote that is doubled. White space around a field is a part
/// of its value. Quotes in a field that does not begin with one are kept.
///
/// Call ``feed(_:)`` with bytes up to each line break. If ``isRecordComplete`` is then `true`, read the fields.
/// Otherwise the line break is a part of a quoted field. Not thread-safe: each splitter owns one.
///
/// Invariants of the addresses in this file, on which all accesses rely:
/// - `parser` is initialized by `csv_init`, and released once.
/// - libcsv calls back only while it parses. It gets the address of this parser, which outlives the call, and returns it.
final class CSVParser {
  // A check of each access for exclusivity would take longer than most fields. libcsv calls back only while it parses.
  /// The fields of the current record, one after another.
  @exclusivity(unchecked) private(set) var text: [UInt8] = []
  /// The end of each field in ``text``.
  @exclusivity(unchecked) private(set) var fieldEnds: [Int] = []
  /// Whether the last bytes completed a record. Its fields are valid until the next call of ``feed(_:)`` or
  /// ``finish()``.
  private(set) var isRecordComplete = false

  /// The byte that separates fields.
  let delimiter: UInt8
  private let parser: UnsafeMutablePointer<csv_parser>
  /// The number of bytes by which libcsv enlarges the memory of a field.
  private static let growthBytes = 1 << 16

  /// Creates a parser.
  ///
  /// - Parameter delimiter: The byte that separates fields.
  init(delimiter: UInt8) {
    self.delimiter = delimiter
    parser = .allocate(capacity: 1)
    guard csv_init(parser, UInt8(CSV_APPEND_NULL)) == 0 else { fatalError("libcsv can't be set up") }
    csv_set_delim(parser, delimiter)
    csv_set_blk_size(parser, Self.growthBytes)
    // By default, libcsv trims white space around fields. Here it is a part of the value.
    csv_set_space_func(parser) { _ in 0 }
  }

  deinit {
    csv_free(parser)
    parser.deallocate()
  }

  /// Parses the next bytes. A carriage return or line feed that ends a record must be the last byte.
  func feed(_ bytes: Span<UInt8>) {
    removeCompleteRecord()
    let parsed = bytes.bytes.withUnsafeBytes {
      csv_parse(parser, $0.baseAddress, $0.count, Self.appendField, Self.endRecord, context)
    }
    // Without its strict mode, libcsv accepts every input.
    guard parsed == bytes.count else { fatalError("no memory for a field of CSV") }
  }

  /// Finishes the last record at the end of the text. Returns `false` if the text ends in a quoted field.
  func finish() -> Bool {
    removeCompleteRecord()
    csv_set_opts(parser, UInt8(CSV_STRICT | CSV_STRICT_FINI))
    return csv_fini(parser, Self.appendField, Self.endRecord, context) == 0
  }

  /// Discards the fields of a record that is too long. The parser still finds the end of the record.
  func dropText() {
    text.removeAll(keepingCapacity: true)
    fieldEnds.removeAll(keepingCapacity: true)
    // libcsv removes the last byte of a field if it is the closing quote, so one byte must remain.
    parser.pointee.entry_pos = min(parser.pointee.entry_pos, 1)
  }

  /// Calls a closure with a field of the complete record.
  func withField<Result>(_ index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    precondition(fieldEnds.indices.contains(index), "the record has the field")
    let text = text
    let start = index == 0 ? 0 : fieldEnds[index - 1]
    return body(text.span.extracting(start..<fieldEnds[index]))
  }

  /// Removes the fields of the complete record, before the next one.
  private func removeCompleteRecord() {
    guard isRecordComplete else { return }
    text.removeAll(keepingCapacity: true)
    fieldEnds.removeAll(keepingCapacity: true)
    isRecordComplete = false
  }

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private static let appendField: @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeMutableRawPointer?) -> Void = {
    bytes, count, context in
    let parser = Unmanaged<CSVParser>.fromOpaque(context!).takeUnretainedValue()
    parser.text.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
    parser.fieldEnds.append(parser.text.count)
  }

  private static let endRecord: @convention(c) (Int32, UnsafeMutableRawPointer?) -> Void = { _, context in
    Unmanaged<CSVParser>.fromOpaque(context!).takeUnretainedValue().isRecordComplete = true
  }
}
