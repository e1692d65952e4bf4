internal import CSimdJSON
import FunnelModel

/// Parses one foreign record with simdjson into its fields at all levels. Not to be shared between threads.
final class ImportedRecordParser {
  private let parser: OpaquePointer

  init() {
    guard
      let parser = funnel_json_parser_create(Limits.lineBytesMax, Limits.nestingLevelsMax, Limits.objectKeysMax)
    else { fatalError("no memory for a parser of \(Limits.lineBytesMax) bytes") }
    self.parser = parser
  }

  deinit { funnel_json_parser_destroy(parser) }

  /// Returns the fields of a record, valid until the next one is parsed, or nil if the record is not one JSON object. The parser's padding
  /// must follow the record.
  func parse(_ record: UnsafeRawBufferPointer) -> ImportedFields? {
    guard let start = record.baseAddress else { return nil }
    var fields: UnsafePointer<funnel_json_field>?
    var count = 0
    let text = start.assumingMemoryBound(to: CChar.self)
    guard funnel_json_parse_deep(parser, text, record.count, &fields, &count) == FUNNEL_JSON_OK else { return nil }
    return ImportedFields(fields: UnsafeBufferPointer(start: fields, count: count))
  }
}
