import CCSV

/// Splits CSV into the fields of its records with libcsv, which knows quotes and removes them.
///
/// It is fed in pieces that end with a possible end of a record, so that after each piece ``isRecordComplete`` tells whether it was one. Not
/// to be shared between threads.
final class CSVParser {
  /// The fields of the record that is being read, one after another.
  private(set) var text: [UInt8] = []
  /// The end of each field in ``text``.
  private(set) var fieldEnds: [Int] = []
  /// Whether the last piece ended a record, whose fields are there until the next piece is fed.
  private(set) var isRecordComplete = false

  private let parser: UnsafeMutablePointer<csv_parser>
  /// By how many bytes libcsv enlarges the memory of a field.
  private static let growthBytes = 1 << 16

  init(delimiter: UInt8) {
    parser = .allocate(capacity: 1)
    guard csv_init(parser, UInt8(CSV_APPEND_NULL)) == 0 else { fatalError("libcsv can't be set up") }
    csv_set_delim(parser, delimiter)
    csv_set_blk_size(parser, Self.growthBytes)
    // libcsv trims blanks around fields, which are a part of the value here.
    csv_set_space_func(parser) { _ in 0 }
  }

  deinit {
    csv_free(parser)
    parser.deallocate()
  }

  /// Parses the next bytes, which contain carriage returns and line feeds only at their end, and at most one.
  func feed(_ bytes: UnsafeRawBufferPointer) {
    removeCompleteRecord()
    let parsed = csv_parse(parser, bytes.baseAddress, bytes.count, Self.takeField, Self.takeRecord, context)
    // Without its strict mode, libcsv refuses nothing.
    guard parsed == bytes.count else { fatalError("no memory for a field of CSV") }
  }

  /// Ends the record that is being read. Returns false if the text ends within quotes.
  func finish() -> Bool {
    removeCompleteRecord()
    csv_set_opts(parser, UInt8(CSV_STRICT | CSV_STRICT_FINI))
    return csv_fini(parser, Self.takeField, Self.takeRecord, context) == 0
  }

  /// Forgets the fields of a record that is too long, of which only the end is still to be found.
  func dropText() {
    text.removeAll(keepingCapacity: true)
    fieldEnds.removeAll(keepingCapacity: true)
    // libcsv takes the last byte away again if it proves to be the closing quote.
    parser.pointee.entry_pos = min(parser.pointee.entry_pos, 1)
  }

  /// Calls a closure with the text of a field of the complete record.
  func withField<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let start = index == 0 ? 0 : fieldEnds[index - 1]
    return text.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<fieldEnds[index]])) }
  }

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
