internal import CSimdJSON

/// Learning layouts from records that were parsed as a whole.
extension ShapeTrie {
  /// Adds the steps of a valid record.
  ///
  /// - Parameters:
  ///   - fields: The fields of the record.
  ///   - tokens: The positions of its tokens.
  /// - Returns: The step at which the record ends, or nil if its layout can't be kept.
  func learn(_ fields: ImportedFields, _ text: UnsafePointer<UInt8>, _ tokens: UnsafeBufferPointer<UInt32>) -> Int32? {
    guard fields.count <= Self.fieldsMax else { return nil }
    var lesson = Lesson(tree: self, fields: fields, text: text, tokens: tokens)
    guard lesson.learnContent(0..<fields.count, of: .object, isPair: false) else { return nil }
    return lesson.last
  }
}

/// The way through the tree of one record.
private struct Lesson {
  let tree: ShapeTrie
  let fields: ImportedFields
  let text: UnsafePointer<UInt8>
  let tokens: UnsafeBufferPointer<UInt32>
  /// The step that was taken last, -1 at the beginning.
  var last: Int32 = -1
  /// The index of the next token; the first is the brace that opens the record.
  private var token = 1

  init(tree: ShapeTrie, fields: ImportedFields, text: UnsafePointer<UInt8>, tokens: UnsafeBufferPointer<UInt32>) {
    (self.tree, self.fields, self.text, self.tokens) = (tree, fields, text, tokens)
  }

  /// Learns what is in an object or an array, and its end.
  ///
  /// - Parameter isPair: Whether the object is an element of an array.
  mutating func learnContent(_ range: Range<Int>, of container: ShapeTrie.Kind, isPair: Bool) -> Bool {
    var index = range.lowerBound
    while index < range.upperBound {
      let hasComma = index > range.lowerBound
      if hasComma { token += 1 }
      guard learnValue(index, in: container, isPair: isPair, hasComma: hasComma) else { return false }
      index = fields.end(of: index)
    }
    token += 1
    return take(ShapeTrie.StepText(form: .end, closer: UInt8(ascii: container == .object ? "}" : "]")))
  }

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
    guard take(step) else { return false }
    guard kind == .object || kind == .array else { return true }
    return learnContent(
      index + 1..<fields.end(of: index), of: kind, isPair: container == .array && kind == .object)
  }

  /// Returns the next token, which is this key in quotes; nil if the record writes the key with escapes.
  private func quotedKey(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let quoted = UnsafeRawBufferPointer(start: text + Int(tokens[token]), count: key.count + 2)
    guard quoted.last == UInt8(ascii: "\""), quoted.dropFirst().dropLast().elementsEqual(key) else { return nil }
    return quoted
  }

  private mutating func take(_ step: ShapeTrie.StepText) -> Bool {
    let (steps, last) = (tree.steps, last)
    let first = last < 0 ? tree.first : steps[Int(last)].next
    guard let next = tree.step(like: step, from: first, link: { if last >= 0 { steps[Int(last)].next = $0 } }) else {
      return false
    }
    self.last = next
    return true
  }
}

extension ImportedValue {
  /// The kind of the value, as layouts distinguish it.
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
