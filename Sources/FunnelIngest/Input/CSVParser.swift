import CCSV

/// An incremental CSV parser that uses libcsv. It splits records into fields and decodes quotes.
///
/// Call ``feed(_:)`` with bytes up to each line break. If ``isRecordComplete`` is then `true`, read the fields.
/// Otherwise the line break is a part of a quoted field. Not thread-safe: each splitter owns one.
final class CSVParser {
  /// The fields of the current record, one after another.
  private(set) var text: [UInt8] = []
  /// The end of each field in ``text``.
  private(set) var fieldEnds: [Int] = []
  /// Whether the last bytes completed a record. Its fields are valid until the next call of ``feed(_:)`` or
  /// ``finish()``.
  private(set) var isRecordComplete = false

  private let parser: UnsafeMutablePointer<csv_parser>
  /// The number of bytes by which libcsv enlarges the memory of a field.
  private static let growthBytes = 1 << 16

  /// Creates a parser.
  ///
  /// - Parameter delimiter: The byte that separates fields.
  init(delimiter: UInt8) {
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

  /// Parses the next bytes. They may contain one carriage return or line feed, which must be the last byte.
  func feed(_ bytes: UnsafeRawBufferPointer) {
    removeCompleteRecord()
    let parsed = csv_parse(parser, bytes.baseAddress, bytes.count, Self.takeField, Self.takeRecord, context)
    // Without its strict mode, libcsv accepts every input.
    guard parsed == bytes.count else { fatalError("no memory for a field of CSV") }
  }

  /// Finishes the last record at the end of the text. Returns `false` if the text ends in a quoted field.
  func finish() -> Bool {
    removeCompleteRecord()
    csv_set_opts(parser, UInt8(CSV_STRICT | CSV_STRICT_FINI))
    return csv_fini(parser, Self.takeField, Self.takeRecord, context) == 0
  }

  /// Discards the fields of a record that is too long. The parser still finds the end of the record.
  func dropText() {
    text.removeAll(keepingCapacity: true)
    fieldEnds.removeAll(keepingCapacity: true)
    // libcsv removes the last byte of a field if it is the closing quote, so one byte must remain.
    parser.pointee.entry_pos = min(parser.pointee.entry_pos, 1)
  }

  /// Calls a closure with a field of the complete record.
  func withField<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let start = index == 0 ? 0 : fieldEnds[index - 1]
    return text.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<fieldEnds[index]])) }
  }

  /// Removes the fields of the complete record, before the next one.
  private func removeCompleteRecord() {
    guard isRecordComplete else { return }
    text.removeAll(keepingCapacity: true)
    fieldEnds.removeAll(keepingCapacity: true)
    isRecordComplete = false
  }

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private static let takeField: @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeMutableRawPointer?) -> Void = {
    bytes, count, context in
    let parser = Unmanaged<CSVParser>.fromOpaque(context!).takeUnretainedValue()
    parser.text.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
    parser.fieldEnds.append(parser.text.count)
  }

  private static let takeRecord: @convention(c) (Int32, UnsafeMutableRawPointer?) -> Void = { _, context in
    Unmanaged<CSVParser>.fromOpaque(context!).takeUnretainedValue().isRecordComplete = true
  }
}
