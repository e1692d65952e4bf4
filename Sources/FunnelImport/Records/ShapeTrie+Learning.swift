internal import CSimdJSON

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
  func learn(_ fields: ImportedFields, _ text: UnsafePointer<UInt8>, _ tokens: UnsafeBufferPointer<UInt32>) -> Int32? {
    guard fields.count <= Self.fieldsMax else { return nil }
    var learner = ShapeLearner(trie: self, fields: fields, text: text, tokens: tokens)
    guard learner.learnContent(0..<fields.count, of: .object, isPair: false) else { return nil }
    return learner.last
  }
}

/// Adds the shape of one record to a trie, step by step.
private struct ShapeLearner {
  let trie: ShapeTrie
  let fields: ImportedFields
  /// The record.
  let text: UnsafePointer<UInt8>
  /// The offsets of the tokens in the record.
  let tokens: UnsafeBufferPointer<UInt32>
  /// The index of the last step, or ``ShapeTrie/absent`` at the start.
  var last = ShapeTrie.absent
  /// The index of the next token. Token 0 is the opening brace of the record.
  private var token = 1

  init(trie: ShapeTrie, fields: ImportedFields, text: UnsafePointer<UInt8>, tokens: UnsafeBufferPointer<UInt32>) {
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
  mutating func learnContent(_ range: Range<Int>, of container: ShapeTrie.Kind, isPair: Bool) -> Bool {
    var index = range.lowerBound
    while index < range.upperBound {
      let hasComma = index > range.lowerBound
      if hasComma { token += 1 }
      guard learnValue(index, in: container, isPair: isPair, hasComma: hasComma) else { return false }
      index = fields.end(of: index)
    }
    token += 1
    return advance(to: ShapeTrie.StepText(form: .end, closer: UInt8(ascii: container == .object ? "}" : "]")))
  }

  /// Adds a value and, if it is a container, its content. Returns `false` if the trie has no room.
  private mutating func learnValue(_ index: Int, in container: ShapeTrie.Kind, isPair: Bool, hasComma: Bool) -> Bool {
    let field = fields[index]
    let kind = field.layoutKind
    var step = ShapeTrie.StepText(form: container == .object ? .member : .element, kind: kind, hasComma: hasComma)
    if container == .object {
      guard token < tokens.count, let key = quotedKey(field.key) else { return false }
      step.key = key
      token += 2
      if isPair, kind == .string, field.key.elementsEqual("key".utf8) {
        guard let string = field.string, string.count <= ShapeTrie.recordBytesMax else { return false }
        step.value = string
      }
    }
    token += 1
    guard advance(to: step) else { return false }
    guard kind == .object || kind == .array else { return true }
    return learnContent(
      index + 1..<fields.end(of: index), of: kind, isPair: container == .array && kind == .object)
  }

  /// Returns the next token, a key in quotes, or `nil` if the record writes the key with escapes.
  private func quotedKey(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let quoted = UnsafeRawBufferPointer(start: text + Int(tokens[token]), count: key.count + 2)
    guard quoted.last == UInt8(ascii: "\""), quoted.dropFirst().dropLast().elementsEqual(key) else { return nil }
    return quoted
  }

  /// Moves to the step after the last one, adding it if it is missing. Returns `false` if the trie has no room.
  private mutating func advance(to step: ShapeTrie.StepText) -> Bool {
    let steps = trie.steps
    let last = self.last
    let isAtStart = last == ShapeTrie.absent
    let first = isAtStart ? trie.first : steps[Int(last)].next
    guard let next = trie.step(like: step, from: first, link: { if !isAtStart { steps[Int(last)].next = $0 } }) else {
      return false
    }
    self.last = next
    return true
  }
}

extension ImportedValue {
  /// The type of the value, as far as shapes distinguish it.
  fileprivate var layoutKind: ShapeTrie.Kind {
    switch funnel_json_kind(rawValue: pointer.pointee.kind) {
    case FUNNEL_JSON_STRING: string?.isEmpty == true ? .emptyString : .string
    case FUNNEL_JSON_INTEGER, FUNNEL_JSON_UNSIGNED, FUNNEL_JSON_DOUBLE: .number
    case FUNNEL_JSON_TRUE, FUNNEL_JSON_FALSE: .boolean
    case FUNNEL_JSON_NULL: .null
    case FUNNEL_JSON_OBJECT: .object
    default: .array
    }
  }
}
