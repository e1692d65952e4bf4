// Reading records of known shapes.
extension ShapeTrie {
  /// Reads a record of a known shape.
  ///
  /// - Parameters:
  ///   - text: The record, followed by padding.
  ///   - tokens: The offsets of its tokens.
  ///   - unescaper: Decodes escapes in strings, or `nil` if the record has none.
  /// - Returns: The record, or `nil` if its shape is not known. The fields of objects and arrays have no count of
  ///   descendants, so `ImportedFields.end(of:)` is not available: use the layout.
  @_lifetime(copy text)
  func match(_ text: Span<UInt8>, _ tokens: Span<UInt32>, unescaper: StringUnescaper?) -> ImportedRecord? {
    guard tokens.count > 1, text[Int(tokens[0])] == UInt8(ascii: "{") else { return nil }
    let steps = steps
    let keys = keys
    var matching = ShapeMatching(steps.span, keys.span, text, tokens, into: fields, unescaper)
    guard let layout = matching.follow(from: first) else { return nil }
    return ImportedRecord(fields.fields(matching.fieldCount, of: text), layouts[layout])
  }
}

/// Matches one record with the shapes of a trie, token by token.
private struct ShapeMatching: ~Escapable {
  private let steps: Span<ShapeTrie.Step>
  /// The keys and fixed values of the steps.
  private let keys: Span<UInt8>
  /// The record.
  private let text: Span<UInt8>
  /// The offsets of the tokens in the record.
  private let tokens: Span<UInt32>
  private let fields: FieldBuffer
  /// Decodes escapes in strings, or `nil` if the record has none.
  private let unescaper: StringUnescaper?
  /// The number of fields so far.
  private(set) var fieldCount = 0

  @_lifetime(copy steps, copy keys, copy text, copy tokens)
  init(
    _ steps: Span<ShapeTrie.Step>, _ keys: Span<UInt8>, _ text: Span<UInt8>, _ tokens: Span<UInt32>, into fields: FieldBuffer,
    _ unescaper: StringUnescaper?
  ) {
    self.steps = steps
    self.keys = keys
    self.text = text
    self.tokens = tokens
    self.fields = fields
    self.unescaper = unescaper
  }

  /// Returns the index of the record's layout, or `nil` if the record matches no shape.
  @_lifetime(self: copy self)
  mutating func follow(from first: PackedIndex) -> Int? {
    // Token 0 is the opening brace of the record.
    var token = 1
    var candidate = first
    while let index = candidate.value {
      guard token < tokens.count else { return nil }
      let step = steps[index]
      guard let after = match(step, at: token) else {
        candidate = step.alternative
        continue
      }
      token = after
      candidate = step.next
      if candidate.value == nil { return token == tokens.count ? step.layout.value : nil }
    }
    return nil
  }

  /// Matches a step at a token and sets its field. Returns the index of the token after the step, or `nil` if the
  /// record differs.
  @inline(__always)
  @_lifetime(self: copy self)
  private mutating func match(_ step: ShapeTrie.Step, at first: Int) -> Int? {
    var token = first
    if step.hasComma {
      guard byte(ofToken: token) == UInt8(ascii: ","), token &+ 1 < tokens.count else { return nil }
      token &+= 1
    }
    let kind: ShapeTrie.ValueKind
    switch step.content {
    case .end(let container): return byte(ofToken: token) == container.closer ? token &+ 1 : nil
    case .member(let value):
      kind = value
      let key = keys.extracting(step.key.range)
      // The key is followed by a colon, the value, and at least a brace.
      guard token &+ 3 < tokens.count, text.contains(key, at: offset(ofToken: token)),
        byte(ofToken: token &+ 1) == UInt8(ascii: ":")
      else { return nil }
      token &+= 2
      assert(key.count >= 2, "a key has quotes")
      fields.setKey(key.extracting(1..<key.count &- 1), at: fieldCount)
    case .element(let value):
      kind = value
      guard token &+ 1 < tokens.count else { return nil }
      fields.setKey(Span(), at: fieldCount)
    }
    guard readValue(kind, step, from: offset(ofToken: token), to: offset(ofToken: token &+ 1)) else { return nil }
    fieldCount &+= 1
    return token &+ 1
  }

  @inline(__always)
  private func offset(ofToken token: Int) -> Int {
    assert(token >= 0 && token < tokens.count, "the token exists")
    return Int(tokens[unchecked: token])
  }

  @inline(__always)
  private func byte(ofToken token: Int) -> UInt8 { byte(at: offset(ofToken: token)) }

  /// Returns a byte of the record. Offsets come from tokens, which are in the record.
  @inline(__always)
  private func byte(at offset: Int) -> UInt8 {
    assert(offset >= 0 && offset < text.count, "the offset is in the record")
    return text[unchecked: offset]
  }

  /// Sets the field to the value of a step. Returns `false` if the value has another type than the step.
  ///
  /// - Parameters:
  ///   - start: The offset of the value.
  ///   - next: The offset of the next token.
  @inline(__always)
  private func readValue(_ kind: ShapeTrie.ValueKind, _ step: ShapeTrie.Step, from start: Int, to next: Int) -> Bool {
    let first = byte(at: start)
    switch kind {
    case .string: return first == UInt8(ascii: "\"") && readString(step, from: start, to: next)
    case .emptyString:
      guard first == UInt8(ascii: "\""), byte(at: start &+ 1) == UInt8(ascii: "\"") else { return false }
      fields.setString(Span(), at: fieldCount)
    case .number: return readNumber(from: start, to: next)
    case .boolean:
      guard isLiteral("true", from: start, to: next) || isLiteral("false", from: start, to: next) else { return false }
      fields.setKind(first == UInt8(ascii: "t") ? .true : .false, at: fieldCount)
    case .null:
      guard isLiteral("null", from: start, to: next) else { return false }
      fields.setKind(.null, at: fieldCount)
    case .object:
      guard first == UInt8(ascii: "{") else { return false }
      fields.setKind(.object, at: fieldCount)
    case .array:
      guard first == UInt8(ascii: "[") else { return false }
      fields.setKind(.array, at: fieldCount)
    }
    return true
  }

  /// Sets the field to a string that is not empty. Returns `false` if the string is empty, invalid or another value.
  @inline(__always)
  private func readString(_ step: ShapeTrie.Step, from start: Int, to next: Int) -> Bool {
    var close = next &- 1
    // Only white space separates a string from the next token.
    while byte(at: close) != UInt8(ascii: "\"") { close &-= 1 }
    assert(close >= start, "the opening quote ends the search")
    guard close > start &+ 1 else { return false }
    let raw = text.extracting(unchecked: start &+ 1..<close)
    if let unescaper {
      guard let decoded = unescaper.unescape(raw) else { return false }
      return setString(decoded, step)
    }
    return setString(raw, step)
  }

  /// Sets the field to a string. Returns `false` if the step allows only another text.
  @inline(__always)
  private func setString(_ string: Span<UInt8>, _ step: ShapeTrie.Step) -> Bool {
    fields.setString(string, at: fieldCount)
    return !step.hasFixedValue || string.isEqual(to: keys.extracting(step.value.range))
  }

  /// The number of decimal digits that always fit into 64 bits.
  private static let integerDigitsMax = 18

  /// Sets the field to an integer of up to 18 digits or to a decimal fraction. Returns `false` for any other number,
  /// which the parser reads.
  @inline(__always)
  private func readNumber(from start: Int, to next: Int) -> Bool {
    let end = trimmed(start, next)
    let isNegative = byte(at: start) == UInt8(ascii: "-")
    let first = isNegative ? start &+ 1 : start
    var offset = first
    var magnitude: Int64 = 0
    while offset < end, byte(at: offset) &- UInt8(ascii: "0") < 10 {
      magnitude = magnitude &* 10 &+ Int64(byte(at: offset) &- UInt8(ascii: "0"))
      offset &+= 1
    }
    let digits = offset &- first
    guard digits >= 1, digits <= Self.integerDigitsMax, digits == 1 || byte(at: first) != UInt8(ascii: "0") else {
      return false
    }
    if offset == end {
      fields.setInteger(isNegative ? 0 &- magnitude : magnitude, at: fieldCount)
      return true
    }
    guard byte(at: offset) == UInt8(ascii: ".") else { return false }
    let point = offset
    offset &+= 1
    while offset < end, byte(at: offset) &- UInt8(ascii: "0") < 10 { offset &+= 1 }
    guard offset == end, offset > point &+ 1 else { return false }
    return fields.setDouble(text.extracting(start..<end), at: fieldCount)
  }

  /// Returns whether a value is a literal: `true`, `false` or `null`.
  @inline(__always)
  private func isLiteral(_ word: StaticString, from start: Int, to next: Int) -> Bool {
    text.extracting(start..<trimmed(start, next)).isEqual(to: word)
  }

  /// Returns the end of a value, without the white space before the next token.
  @inline(__always)
  private func trimmed(_ start: Int, _ next: Int) -> Int {
    var end = next
    while end > start &+ 1, Self.isWhiteSpace(byte(at: end &- 1)) { end &-= 1 }
    return end
  }

  @inline(__always)
  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }
}
