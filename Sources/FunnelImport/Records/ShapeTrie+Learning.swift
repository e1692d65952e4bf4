// Adding the shapes of parsed records.
extension ShapeTrie {
  /// Adds the shape of a valid record.
  ///
  /// - Parameters:
  ///   - fields: The fields of the record.
  ///   - text: The record.
  ///   - tokens: The offsets of its tokens.
  /// - Returns: The index of the last step, or `nil` if the record is too large, writes a key with escapes, or does not
  ///   fit into the trie.
  func learn(
    _ fields: ImportedFields, _ text: Span<UInt8>, _ tokens: Span<UInt32>
  ) -> Int? {
    guard fields.count <= Self.fieldsMax else { return nil }
    var learner = ShapeLearner(self, fields, text, tokens)
    guard learner.learnContent(0..<fields.count, of: .object, isPair: false) else { return nil }
    return learner.last
  }
}

/// Adds the shape of one record to a trie, step by step.
private struct ShapeLearner: ~Escapable {
  private let trie: ShapeTrie
  private let fields: ImportedFields
  /// The record.
  private let text: Span<UInt8>
  /// The offsets of the tokens in the record.
  private let tokens: Span<UInt32>
  /// The index of the last step, or `nil` at the start.
  private(set) var last: Int?
  /// The index of the next token. Token 0 is the opening brace of the record.
  private var token = 1

  @_lifetime(copy fields, copy text, copy tokens)
  init(_ trie: ShapeTrie, _ fields: ImportedFields, _ text: Span<UInt8>, _ tokens: Span<UInt32>) {
    self.trie = trie
    self.fields = fields
    self.text = text
    self.tokens = tokens
  }

  /// Adds the content and the end of an object or an array. Returns `false` if the trie has no room.
  ///
  /// - Parameters:
  ///   - range: The indices of the fields in the container.
  ///   - container: The type of the container.
  ///   - isPair: Whether the container is an object in an array, which may be a key-value pair.
  @_lifetime(self: copy self)
  mutating func learnContent(_ range: Range<Int>, of container: ShapeTrie.Container, isPair: Bool) -> Bool {
    var index = range.lowerBound
    while index < range.upperBound {
      let hasComma = index > range.lowerBound
      if hasComma { token += 1 }
      guard learnValue(index, in: container, isPair: isPair, hasComma: hasComma) else { return false }
      index = fields.end(of: index)
    }
    token += 1
    return advance(to: ShapeTrie.WantedStep(.end(container), hasComma: false, key: Span(), value: nil))
  }

  /// Adds a value and, if it is a container, its content. Returns `false` if the trie has no room.
  @_lifetime(self: copy self)
  private mutating func learnValue(
    _ index: Int, in container: ShapeTrie.Container, isPair: Bool, hasComma: Bool
  ) -> Bool {
    let field = fields[index]
    let kind = field.shapeKind
    switch container {
    case .array:
      token += 1
      guard advance(to: ShapeTrie.WantedStep(.element(kind), hasComma: hasComma, key: Span(), value: nil)) else { return false }
    case .object:
      guard let key = quotedKey(field.key) else { return false }
      token += 3  // The key, the colon and the value.
      let isFixed = isPair && kind == .string && field.key.isEqual(to: "key")
      let value = isFixed ? field.string : nil
      if let value, value.count > ShapeTrie.recordBytesMax { return false }
      guard advance(to: ShapeTrie.WantedStep(.member(kind), hasComma: hasComma, key: key, value: value)) else { return false }
    }
    let content = index + 1..<fields.end(of: index)
    switch kind {
    case .object: return learnContent(content, of: .object, isPair: container == .array)
    case .array: return learnContent(content, of: .array, isPair: false)
    case .string, .emptyString, .number, .boolean, .null: return true
    }
  }

  /// Returns the next token, a key in quotes, or `nil` if the record writes the key with escapes.
  @_lifetime(copy self)
  private func quotedKey(_ key: Span<UInt8>) -> Span<UInt8>? {
    guard token < tokens.count else { return nil }
    let start = Int(tokens[token])
    let end = start + 1 + key.count
    guard end < text.count, text[end] == UInt8(ascii: "\""), text.contains(key, at: start + 1) else { return nil }
    return text.extracting(start...end)
  }

  /// Moves to the step after the last one, adding it if it is missing. Returns `false` if the trie has no room.
  @_lifetime(self: copy self)
  private mutating func advance(to step: ShapeTrie.WantedStep) -> Bool {
    guard let next = trie.findOrInsert(step, after: last) else { return false }
    last = next
    return true
  }
}

extension ImportedValue {
  /// The type of the value, as far as shapes distinguish it.
  fileprivate var shapeKind: ShapeTrie.ValueKind {
    switch kind {
    case .string: isAbsent ? .emptyString : .string
    case .integer, .unsigned, .double: .number
    case .true, .false: .boolean
    case .null: .null
    case .object: .object
    case .array: .array
    }
  }
}
