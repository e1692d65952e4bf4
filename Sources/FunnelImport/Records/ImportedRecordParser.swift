internal import CSimdJSON
import FunnelModel

/// Parses imported JSON records into flat lists of fields with simdjson. Not thread-safe: each worker owns one.
final class ImportedRecordParser {
  private let parser: OpaquePointer

  /// Creates a parser for records of at most ``Limits/lineBytesMax`` bytes.
  init() {
    guard
      let parser = funnel_json_parser_create(Limits.lineBytesMax, Limits.nestingLevelsMax, Limits.objectKeysMax)
    else { fatalError("no memory for a parser of \(Limits.lineBytesMax) bytes") }
    self.parser = parser
  }

  deinit { funnel_json_parser_destroy(parser) }

  /// Returns the fields of a record, or `nil` if the record is not exactly one JSON object.
  ///
  /// The fields are valid until the next call. At least `FUNNEL_JSON_PADDING` readable bytes must follow the record.
  func parse(_ record: UnsafeRawBufferPointer) -> ImportedFields? {
    guard let start = record.baseAddress else { return nil }
    var fields: UnsafePointer<funnel_json_field>?
    var count = 0
    let text = start.assumingMemoryBound(to: CChar.self)
    guard funnel_json_parse_deep(parser, text, record.count, &fields, &count) == FUNNEL_JSON_OK else { return nil }
    return ImportedFields(fields: UnsafeBufferPointer(start: fields, count: count))
  }
}
