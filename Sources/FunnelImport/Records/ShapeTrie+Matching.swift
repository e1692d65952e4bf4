internal import CSimdJSON

// Reading records of known shapes.
extension ShapeTrie {
  /// Reads a record of a known shape.
  ///
  /// - Parameters:
  ///   - text: The record, followed by padding.
  ///   - tokens: The offsets of its tokens, followed by the length of the record a few times.
  ///   - escapes: Decodes escapes in strings, or `nil` if the record has none.
  /// - Returns: The record, or `nil` if its shape is not known. The fields of objects and arrays have no count of
  ///   descendants, so `ImportedFields.end(of:)` is not available: use the layout.
  func match(
    _ text: UnsafePointer<UInt8>, _ tokens: UnsafeBufferPointer<UInt32>, escapes: StringUnescaper?
  ) -> ImportedRecord? {
    guard tokens.count > 1, text[Int(tokens[0])] == UInt8(ascii: "{") else { return nil }
    var matching = ShapeMatching(
      steps: steps, field: fields, text: text, tokens: tokens.baseAddress!, tokenCount: tokens.count, escapes: escapes)
    guard let layout = matching.follow(from: first) else { return nil }
    let count = matching.field - fields
    return ImportedRecord(
      fields: ImportedFields(fields: UnsafeBufferPointer(start: fields, count: count)), layout: layouts[layout])
  }
}

/// Matches one record with the shapes of a trie, token by token.
private struct ShapeMatching {
  let steps: UnsafeMutablePointer<ShapeTrie.Step>
  /// The next field to set.
  var field: UnsafeMutablePointer<funnel_json_field>
  /// The record.
  let text: UnsafePointer<UInt8>
  /// The offsets of the tokens in the record.
  let tokens: UnsafePointer<UInt32>
  let tokenCount: Int
  /// Decodes escapes in strings, or `nil` if the record has none.
  let escapes: StringUnescaper?

  /// Returns the index of the record's layout, or `nil` if the record matches no shape.
  mutating func follow(from first: Int32) -> Int? {
    // Token 0 is the opening brace of the record.
    var token = 1
    var candidate = first
    while candidate != ShapeTrie.absent {
      guard token < tokenCount else { return nil }
      let step = steps + Int(candidate)
      if let after = match(step, at: token) {
        token = after
        candidate = step.pointee.next
        if candidate == ShapeTrie.absent {
          let hasLayout = token == tokenCount && step.pointee.layout != ShapeTrie.absent
          return hasLayout ? Int(step.pointee.layout) : nil
        }
      } else {
        candidate = step.pointee.alternative
      }
    }
    return nil
  }

  /// Matches a step at a token and sets its field. Returns the index of the token after the step, or `nil` if the
  /// record differs.
  @inline(__always)
  private mutating func match(_ step: UnsafeMutablePointer<ShapeTrie.Step>, at first: Int) -> Int? {
    var token = first
    if step.pointee.form == .end { return text[Int(tokens[token])] == step.pointee.closer ? token &+ 1 : nil }
    if step.pointee.hasComma {
      guard text[Int(tokens[token])] == UInt8(ascii: ",") else { return nil }
      token &+= 1
    }
    if step.pointee.form == .member {
      // The key is followed by a colon, the value, and at least a brace.
      guard token &+ 3 < tokenCount, isEqual(step.pointee.key, at: text + Int(tokens[token])),
        text[Int(tokens[token &+ 1])] == UInt8(ascii: ":")
      else { return nil }
      token &+= 2
      field.pointee.key = UnsafeRawPointer(step.pointee.key.start + 1).assumingMemoryBound(to: CChar.self)
      field.pointee.key_length = UInt32(truncatingIfNeeded: step.pointee.key.count &- 2)
    } else {
      guard token &+ 1 < tokenCount else { return nil }
      field.pointee.key = nil
      field.pointee.key_length = 0
    }
    guard readValue(step, from: Int(tokens[token]), to: Int(tokens[token &+ 1])) else { return nil }
    field += 1
    return token &+ 1
  }

  /// Whether the bytes at an address equal known bytes. At least one readable word must follow both.
  @inline(__always)
  private func isEqual(_ bytes: ShapeTrie.Bytes, at address: UnsafeRawPointer) -> Bool {
    let known = UnsafeRawPointer(bytes.start)
    var offset = 0
    while offset &+ 8 <= bytes.count {
      guard Self.word(known + offset) == Self.word(address + offset) else { return false }
      offset &+= 8
    }
    let remainingBits = UInt64(truncatingIfNeeded: (bytes.count &- offset) &* 8)
    return (Self.word(known + offset) ^ Self.word(address + offset)) & (1 << remainingBits &- 1) == 0
  }

  @inline(__always)
  private static func word(_ address: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: address.loadUnaligned(as: UInt64.self))
  }

  /// Sets the field to the value of a step. Returns `false` if the value has another type than the step.
  ///
  /// - Parameters:
  ///   - start: The offset of the value.
  ///   - next: The offset of the next token.
  @inline(__always)
  private mutating func readValue(_ step: UnsafeMutablePointer<ShapeTrie.Step>, from start: Int, to next: Int) -> Bool {
    let byte = text[start]
    switch step.pointee.kind {
    case .string: return byte == UInt8(ascii: "\"") && readString(step, from: start, to: next)
    case .emptyString:
      guard byte == UInt8(ascii: "\""), text[start &+ 1] == UInt8(ascii: "\"") else { return false }
      setText(start &+ 1, count: 0)
    case .number: return readNumber(from: start, to: next)
    case .boolean:
      guard isWord("true", from: start, to: next) || isWord("false", from: start, to: next) else { return false }
      field.pointee.kind = byte == UInt8(ascii: "t") ? FUNNEL_JSON_TRUE.rawValue : FUNNEL_JSON_FALSE.rawValue
    case .null:
      guard isWord("null", from: start, to: next) else { return false }
      field.pointee.kind = FUNNEL_JSON_NULL.rawValue
    case .object:
      guard byte == UInt8(ascii: "{") else { return false }
      field.pointee.kind = FUNNEL_JSON_OBJECT.rawValue
    case .array:
      guard byte == UInt8(ascii: "[") else { return false }
      field.pointee.kind = FUNNEL_JSON_ARRAY.rawValue
    }
    return true
  }

  /// Sets the field to a string, by the offset and the length of its text.
  @inline(__always)
  private mutating func setText(_ start: Int, count: Int) {
    field.pointee.kind = FUNNEL_JSON_STRING.rawValue
    field.pointee.text = UnsafeRawPointer(text + start).assumingMemoryBound(to: CChar.self)
    field.pointee.text_length = UInt32(truncatingIfNeeded: count)
  }

  /// Sets the field to a string that is not empty. Returns `false` if the string is empty, invalid or another value.
  @inline(__always)
  private mutating func readString(_ step: UnsafeMutablePointer<ShapeTrie.Step>, from start: Int, to next: Int) -> Bool {
    var close = next &- 1
    // Only white space separates a string from the next token.
    while text[close] != UInt8(ascii: "\"") { close &-= 1 }
    let count = close &- start &- 1
    guard count > 0 else { return false }
    setText(start &+ 1, count: count)
    if let escapes, !escapes.unescape(&field.pointee) { return false }
    guard let value = step.pointee.value else { return true }
    return value.count == Int(field.pointee.text_length) && isEqual(value, at: field.pointee.text)
  }

  /// The number of decimal digits that always fit into 64 bits.
  private static let integerDigitsMax = 18

  /// Sets the field to an integer of up to 18 digits or to a decimal fraction. Returns `false` for any other number,
  /// which the parser reads.
  @inline(__always)
  private mutating func readNumber(from start: Int, to next: Int) -> Bool {
    let end = trimmed(start, next)
    let isNegative = text[start] == UInt8(ascii: "-")
    let first = isNegative ? start &+ 1 : start
    var offset = first
    var magnitude: Int64 = 0
    while offset < end, text[offset] &- UInt8(ascii: "0") < 10 {
      magnitude = magnitude &* 10 &+ Int64(text[offset] &- UInt8(ascii: "0"))
      offset &+= 1
    }
    let digits = offset &- first
    guard digits >= 1, digits <= Self.integerDigitsMax, digits == 1 || text[first] != UInt8(ascii: "0") else { return false }
    if offset == end {
      field.pointee.kind = FUNNEL_JSON_INTEGER.rawValue
      field.pointee.value.integer = isNegative ? 0 &- magnitude : magnitude
      return true
    }
    guard text[offset] == UInt8(ascii: ".") else { return false }
    let point = offset
    offset &+= 1
    while offset < end, text[offset] &- UInt8(ascii: "0") < 10 { offset &+= 1 }
    guard offset == end, offset > point &+ 1 else { return false }
    let number = UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self)
    field.pointee.kind = FUNNEL_JSON_DOUBLE.rawValue
    field.pointee.value.number = funnel_json_number(number + start, number + end)
    return field.pointee.value.number.isFinite
  }

  /// Whether a value is a literal: `true`, `false` or `null`.
  @inline(__always)
  private func isWord(_ word: StaticString, from start: Int, to next: Int) -> Bool {
    guard trimmed(start, next) &- start == word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount where text[start &+ index] != word.utf8Start[index] { return false }
    return true
  }

  /// Returns the end of a value, without the white space before the next token.
  @inline(__always)
  private func trimmed(_ start: Int, _ next: Int) -> Int {
    var end = next
    while end > start &+ 1, Self.isWhiteSpace(text[end &- 1]) { end &-= 1 }
    return end
  }

  @inline(__always)
  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }
}
