internal import CSimdJSON

/// Reading records of known layouts.
extension ShapeTrie {
  /// Reads a record whose tokens are known.
  ///
  /// - Parameters:
  ///   - text: The record, followed by padding.
  ///   - tokens: The positions of its tokens, followed by the length of the record a few times.
  ///   - escapes: Takes the escapes out of strings; nil if the record has none.
  /// - Returns: The record, or nil if its layout is not known. Its objects and arrays do not tell how many fields are in them: whoever needs
  ///   that has looked at the layout.
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

/// The way of one record through the tree.
private struct ShapeMatching {
  let steps: UnsafeMutablePointer<ShapeTrie.Step>
  /// The next field to fill in.
  var field: UnsafeMutablePointer<funnel_json_field>
  let text: UnsafePointer<UInt8>
  let tokens: UnsafePointer<UInt32>
  let tokenCount: Int
  let escapes: StringUnescaper?

  /// Follows the record to its end and returns the number of its layout, or nil if it leaves the tree.
  mutating func follow(from first: Int32) -> Int? {
    // The first token is the brace that opens the record.
    var token = 1
    var candidate = first
    while candidate >= 0 {
      // Behind each step there is another token, but for the last.
      guard token < tokenCount else { return nil }
      let step = steps + Int(candidate)
      if let after = take(step, at: token) {
        token = after
        candidate = step.pointee.next
        if candidate < 0 { return token == tokenCount && step.pointee.layout >= 0 ? Int(step.pointee.layout) : nil }
      } else {
        candidate = step.pointee.alternative
      }
    }
    return nil
  }

  /// Takes a step if the record has it at a token, and returns the index of the token behind it.
  @inline(__always)
  private mutating func take(_ step: UnsafeMutablePointer<ShapeTrie.Step>, at first: Int) -> Int? {
    var token = first
    if step.pointee.form == .end { return text[Int(tokens[token])] == step.pointee.closer ? token &+ 1 : nil }
    if step.pointee.hasComma {
      guard text[Int(tokens[token])] == UInt8(ascii: ",") else { return nil }
      token &+= 1
    }
    if step.pointee.form == .member {
      // Behind the key come a colon, the value, and at least a brace.
      guard token &+ 3 < tokenCount, stands(step.pointee.key, at: text + Int(tokens[token])),
        text[Int(tokens[token &+ 1])] == UInt8(ascii: ":")
      else { return nil }
      token &+= 2
      field.pointee.key = UnsafeRawPointer(step.pointee.key.start + 1).assumingMemoryBound(to: CChar.self)
      field.pointee.key_length = UInt32(truncatingIfNeeded: step.pointee.key.count &- 2)
    } else {
      guard token &+ 1 < tokenCount else { return nil }
      (field.pointee.key, field.pointee.key_length) = (nil, 0)
    }
    guard takeValue(step, from: Int(tokens[token]), to: Int(tokens[token &+ 1])) else { return nil }
    field += 1
    return token &+ 1
  }

  /// Returns whether bytes stand at a place, behind which there is padding.
  @inline(__always)
  private func stands(_ bytes: ShapeTrie.Bytes, at place: UnsafeRawPointer) -> Bool {
    let (known, found) = (UnsafeRawPointer(bytes.start), place)
    var offset = 0
    while offset &+ 8 <= bytes.count {
      guard Self.word(known + offset) == Self.word(found + offset) else { return false }
      offset &+= 8
    }
    let rest = UInt64(truncatingIfNeeded: (bytes.count &- offset) &* 8)
    return (Self.word(known + offset) ^ Self.word(found + offset)) & (1 << rest &- 1) == 0
  }

  @inline(__always)
  private static func word(_ place: UnsafeRawPointer) -> UInt64 { UInt64(littleEndian: place.loadUnaligned(as: UInt64.self)) }

  /// Fills in the field of a value that stands in front of the next token; returns false if the value is of another kind.
  @inline(__always)
  private mutating func takeValue(_ step: UnsafeMutablePointer<ShapeTrie.Step>, from start: Int, to next: Int) -> Bool {
    let byte = text[start]
    switch step.pointee.kind {
    case .string: return byte == UInt8(ascii: "\"") && takeString(step, from: start, to: next)
    case .emptyString:
      guard byte == UInt8(ascii: "\""), text[start &+ 1] == UInt8(ascii: "\"") else { return false }
      setText(start &+ 1, count: 0)
    case .number: return takeNumber(from: start, to: next)
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

  @inline(__always)
  private mutating func setText(_ start: Int, count: Int) {
    field.pointee.kind = FUNNEL_JSON_STRING.rawValue
    field.pointee.text = UnsafeRawPointer(text + start).assumingMemoryBound(to: CChar.self)
    field.pointee.text_length = UInt32(truncatingIfNeeded: count)
  }

  @inline(__always)
  private mutating func takeString(_ step: UnsafeMutablePointer<ShapeTrie.Step>, from start: Int, to next: Int) -> Bool {
    var close = next &- 1
    // There is only white space between a string and the next token.
    while text[close] != UInt8(ascii: "\"") { close &-= 1 }
    let count = close &- start &- 1
    guard count > 0 else { return false }
    setText(start &+ 1, count: count)
    if let escapes, !escapes.unescape(&field.pointee) { return false }
    guard let value = step.pointee.value else { return true }
    return value.count == Int(field.pointee.text_length) && stands(value, at: field.pointee.text)
  }

  /// Takes an integer of up to 18 digits, or a decimal fraction. Other numbers are left to the parser.
  @inline(__always)
  private mutating func takeNumber(from start: Int, to next: Int) -> Bool {
    let end = trimmed(start, next)
    var place = text[start] == UInt8(ascii: "-") ? start &+ 1 : start
    let (first, isNegative) = (place, place > start)
    var magnitude: Int64 = 0
    while place < end, text[place] &- UInt8(ascii: "0") < 10 {
      magnitude = magnitude &* 10 &+ Int64(text[place] &- UInt8(ascii: "0"))
      place &+= 1
    }
    let digits = place &- first
    guard digits >= 1, digits <= 18, digits == 1 || text[first] != UInt8(ascii: "0") else { return false }
    if place == end {
      field.pointee.kind = FUNNEL_JSON_INTEGER.rawValue
      field.pointee.value.integer = isNegative ? 0 &- magnitude : magnitude
      return true
    }
    guard text[place] == UInt8(ascii: ".") else { return false }
    let point = place
    place &+= 1
    while place < end, text[place] &- UInt8(ascii: "0") < 10 { place &+= 1 }
    guard place == end, place > point &+ 1 else { return false }
    let number = UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self)
    field.pointee.kind = FUNNEL_JSON_DOUBLE.rawValue
    field.pointee.value.number = funnel_json_number(number + start, number + end)
    return field.pointee.value.number.isFinite
  }

  /// Returns whether a value is a word.
  @inline(__always)
  private func isWord(_ word: StaticString, from start: Int, to next: Int) -> Bool {
    guard trimmed(start, next) &- start == word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount where text[start &+ index] != word.utf8Start[index] { return false }
    return true
  }

  /// Returns the end of a value without the white space in front of the next token.
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
