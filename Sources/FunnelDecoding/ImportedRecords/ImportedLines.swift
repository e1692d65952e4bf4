import FunnelImport
import FunnelModel

/// Translates the imported records of a block to native lines, and stores the record of each line.
///
/// One value is reused from block to block. Not thread-safe: each worker owns one.
final class ImportedLines {
  // A class, because a decoder mutates itself while it reads the lines.

  /// A record of the block.
  struct Record {
    /// The index of its line in the block.
    var line: Int
    /// Its bytes in the block.
    var bytes: Range<Int>
  }

  /// The result of translating a record.
  enum Outcome {
    /// The record was translated to native lines. There may be none.
    case taken
    /// The record is not one JSON object.
    case unreadable
    /// The record, or one of its native lines, is invalid.
    case refused(Rejection)
  }

  /// The record of each native line.
  private(set) var records: [Record] = []
  /// The translator of the block's format, which stores the lines. `nil` before the first record.
  private var current: RecordTranslator?
  private var translators: [ImportFormat: RecordTranslator] = [:]
  private let plans: ImportPlans

  /// Creates an empty collection.
  init(_ plans: ImportPlans) {
    self.plans = plans
  }

  /// Removes the lines of the previous block.
  func removeAll() {
    current?.lines.removeAll()
    records.removeAll(keepingCapacity: true)
  }

  /// Translates a record and appends its native lines.
  ///
  /// - Parameters:
  ///   - text: The record.
  ///   - record: The position of the record in the block.
  ///   - format: The format, which must be the same for all records of a block.
  ///   - refusal: Returns the reason to reject a native line, or `nil` if the line is valid. It is called only
  ///     if a record has several lines: if one of them is invalid, none is appended.
  func append(
    _ text: BlockText, _ record: Record, format: ImportFormat, unless refusal: (_ line: BlockText) -> Rejection?
  ) -> Outcome {
    let translator = translator(for: format)
    let start = translator.lines.count
    switch translator.translate(text.span) {
    case .events(let count):
      if count > 1, let reject = firstRefusal(from: start, refusal) {
        translator.lines.removeAll(from: start)
        return .refused(reject)
      }
      for _ in 0..<count { records.append(record) }
      return .taken
    case .dropped: return .taken
    case .unreadable: return .unreadable
    case .rejected(.missing(let message)): return .refused(Rejection(.missingField, message))
    case .rejected(.invalid(let message)): return .refused(Rejection(.invalidField, message))
    case .rejected(.outOfRange(let message)): return .refused(Rejection(.timestampOutOfRange, message))
    }
  }

  /// Returns a copy of a record in the shape that the paths of its format describe, or `nil` if it can't be read or has that shape
  /// in any case.
  func normalized(_ text: BlockText, format: ImportFormat) -> [UInt8]? {
    format == .native ? nil : translators[format]?.normalized(text.span)
  }

  /// Calls a closure with the native lines.
  func withLines<Result>(_ body: (BlockText) -> Result) -> Result {
    guard let lines = current?.lines else { return body(.empty) }
    let end = lines.count
    lines.appendZeros(LineParser.paddingBytes)
    defer { lines.removeAll(from: end) }
    return lines.bytes.withUnsafeBytes { body(BlockText(withPadding: $0)) }
  }

  /// Returns the counts of the records of a block since the last call.
  func takeCounts(of block: LineBlock) -> ImportCounts {
    let hasOrder = block.origins?.records.first?.sequence != nil
    return translators[block.format]?.takeCounts(file: hasOrder ? block.place.file : nil) ?? ImportCounts()
  }

  /// Returns the first reason to reject one of the lines from an offset on, or `nil` if all are valid.
  private func firstRefusal(from start: Int, _ refusal: (BlockText) -> Rejection?) -> Rejection? {
    withLines { lines in
      var start = start
      while let end = lines.firstOffset(of: Byte.lineFeed, in: start..<lines.count) {
        if let rejection = refusal(lines[start..<end]) { return rejection }
        start = end + 1
      }
      return nil
    }
  }

  /// Returns the translator of a format, and makes it the current one.
  private func translator(for format: ImportFormat) -> RecordTranslator {
    if let current, current.format == format { return current }
    precondition(records.isEmpty, "the lines of one block are of one format")
    let translator = translators[format] ?? RecordTranslator(plans.plan(for: format))
    translators[format] = translator
    current = translator
    translator.lines.removeAll()
    return translator
  }
}
