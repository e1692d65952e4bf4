import FunnelModel

extension LineBuffer {
  /// Appends a value and its descendants as JSON.
  ///
  /// - Parameters:
  ///   - index: The index of the value.
  ///   - fields: The fields of a record.
  func appendJSON(at index: Int, of fields: ImportedFields) {
    let field = fields[index]
    guard !field.isScalar else { return field.appendJSON(to: self) }
    let isObject = field.isObject
    append(UInt8(ascii: isObject ? "{" : "["))
    var element = index + 1
    while element < fields.end(of: index) {
      if element > index + 1 { append(UInt8(ascii: ",")) }
      if isObject {
        appendJSONString(fields[element].key)
        append(UInt8(ascii: ":"))
      }
      appendJSON(at: element, of: fields)
      element = fields.end(of: element)
    }
    append(UInt8(ascii: isObject ? "}" : "]"))
  }
}

/// Parses strings that contain a JSON object or array. Not thread-safe: each owner has its own.
final class JSONCellParser {
  private let parser = ImportedRecordParser()
  /// A string with the padding that the parser needs.
  private let text = LineBuffer()

  /// Returns fields of which the first is the object or array that a string contains, or `nil` if the string contains none or
  /// anything beside it.
  ///
  /// The fields are valid until the next call.
  @_lifetime(copy string)
  func parse(_ string: Span<UInt8>) -> ImportedFields? {
    guard string.beginsContainer else { return nil }
    let text = text
    text.removeAll()
    // The parser only accepts objects, so the string becomes the value of a member.
    text.append("{\"\":")
    text.append(copying: string)
    text.append(UInt8(ascii: "}"))
    let count = text.count
    text.appendZeros(ImportedRecordParser.paddingBytes)
    let bytes = _overrideLifetime(text.bytes.extracting(first: count), copying: string)
    guard let fields = parser.parse(bytes), fields.count > 0, fields.end(of: 0) == fields.count, !fields[0].isScalar else {
      return nil
    }
    return fields
  }

  /// Returns whether a string contains a JSON object or array and nothing beside it.
  func isContainer(_ string: Span<UInt8>) -> Bool {
    guard let fields = parse(string) else { return false }
    return fields.count > 0
  }
}
