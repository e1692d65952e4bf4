import FunnelImport
import FunnelModel
import Testing

/// Translates records as an import does, and reads the lines back.
struct Translating {
  let plan: ImportPlan
  private let translator: RecordTranslator

  init(
    _ format: ImportFormat, map: String? = nil, sourceZone: TimeZoneRules? = nil
  ) throws {
    let mapping = try map.map { try ImportMapping(parsing: Array($0.utf8), source: "map.json") }
    plan = ImportPlan(format, mapping: mapping, sourceZone: sourceZone)
    translator = RecordTranslator(plan)
  }

  /// Returns the native lines of a record.
  func lines(_ record: String) throws -> [String] {
    translator.lines.removeAll()
    let outcome = translate(record)
    let texts = translator.lines.text.split(separator: "\n").map(String.init)
    #expect(outcome == .events(texts.count), "\(outcome)")
    return texts
  }

  /// Returns the only native line of a record.
  func line(_ record: String) throws -> String {
    let lines = try lines(record)
    try #require(lines.count == 1)
    return lines[0]
  }

  /// Returns the only native line of a record without its derived ID.
  func lineWithoutID(_ record: String) throws -> String {
    try line(record).replacing(/,"id":"[0-9a-f]{32}"/, with: "")
  }

  /// Returns what became of a record that is no event; nothing may be written for it.
  func outcome(_ record: String) -> RecordTranslator.Outcome {
    translator.lines.removeAll()
    let outcome = translate(record)
    #expect(translator.lines.count == 0)
    return outcome
  }

  /// Returns the message of a record that is refused.
  func refusal(_ record: String) throws -> String {
    guard case .rejected(let refusal) = outcome(record) else {
      Issue.record("the record is not refused: \(record)")
      return ""
    }
    return refusal.message
  }

  func aggregate() -> ImportCounts { translator.takeCounts() }

  private func translate(_ record: String) -> RecordTranslator.Outcome {
    // simdjson reads beyond the end of a record.
    let bytes = Array(record.utf8) + [UInt8](repeating: 0, count: 128)
    return translator.translate(bytes.span.extracting(droppingLast: 128))
  }
}

extension LineBuffer {
  /// A copy of the bytes.
  var copy: [UInt8] { bytes.withUnsafeBufferPointer { Array($0) } }

  /// The bytes as text.
  var text: String { String(decoding: copy, as: UTF8.self) }
}
