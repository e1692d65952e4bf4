import FunnelImport
import FunnelModel

/// The native lines that the foreign records of a block became, and the records they came from.
///
/// It is an object of its own, so that a line can be looked at while the decoder it belongs to changes. Not to be shared between threads;
/// one is reused from block to block.
final class ImportedLines {
  /// A record of the block.
  struct Record {
    /// The index of its line in the block.
    var line: Int
    /// Its bytes in the block.
    var bytes: Range<Int>
  }

  /// What became of a record.
  enum Outcome {
    /// It became native lines, perhaps none.
    case taken
    /// It is not one JSON object.
    case unreadable
    case refused(Rejection)
  }

  /// The record of each native line.
  private(set) var records: [Record] = []
  /// The translator of the block's format, which holds the lines.
  private var current: RecordTranslator?
  private var translators: [ImportFormat: RecordTranslator] = [:]
  private let plans: ImportPlans

  init(_ plans: ImportPlans) {
    self.plans = plans
  }

  /// Forgets the lines of the block before.
  func removeAll() {
    current?.lines.removeAll()
    records.removeAll(keepingCapacity: true)
  }

  /// Translates a record and appends the lines it became.
  ///
  /// - Parameter refusal: Finds a reason to refuse a line. A record that became several lines is taken whole or not at all, so that each of
  ///   them is asked for before the first is taken.
  func append(
    _ text: UnsafeRawBufferPointer, _ record: Record, format: ImportFormat,
    unless refusal: (_ line: UnsafeRawBufferPointer) -> Rejection?
  ) -> Outcome {
    let translator = translator(for: format)
    let start = translator.lines.count
    switch translator.translate(text) {
    case .events(let count):
      if count > 1, let reject = firstRefusal(from: start, refusal) {
        translator.lines.removeAll(from: start)
        return .refused(reject)
      }
      for _ in 0..<count { records.append(record) }
      return .taken
    case .dropped: return .taken
    case .unreadable: return .unreadable
    case .refused(let refusal):
      return .refused(Rejection(refusal.isMissing ? .missingField : .invalidField, refusal.message))
    }
  }

  /// Calls a closure with the lines, which are followed by the parser's padding.
  func withLines<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard let lines = current?.lines else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    let end = lines.count
    lines.appendZeros(LineParser.paddingBytes)
    defer { lines.removeAll(from: end) }
    return body(UnsafeRawBufferPointer(rebasing: lines.bytes[..<end]))
  }

  /// Returns what became of the records of a format since the last call.
  func takeAggregate(of format: ImportFormat) -> ImportCounts { translators[format]?.takeAggregate() ?? ImportCounts() }

  /// Returns the first reason to refuse one of the lines that begin at an offset.
  private func firstRefusal(from start: Int, _ refusal: (UnsafeRawBufferPointer) -> Rejection?) -> Rejection? {
    withLines { lines in
      var rest = lines[start...]
      while let end = rest.firstLineBreak {
        if let reject = refusal(UnsafeRawBufferPointer(rebasing: rest[..<end])) { return reject }
        rest = rest[(end + 1)...]
      }
      return nil
    }
  }

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
