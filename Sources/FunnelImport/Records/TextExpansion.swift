import FunnelModel

/// Writes a record anew with objects in place of the texts that hold them: exports to tables have `"properties":"{\"plan\":\"pro\"}"`.
/// Not to be shared between threads.
final class TextExpansion {
  private let tree: FlatFieldTree
  private let parser = ImportedRecordParser()
  private var expanded = LineBuffer()
  /// The record that was written before, of which the fields may be.
  private var previous = LineBuffer()
  /// A text with the padding that the parser needs.
  private let candidate = LineBuffer()
  private var expansionCount = 0

  /// The number of zeros after a text; no fewer than the parser reads beyond it.
  private static let paddingBytes = 64
  /// The number of texts within each other that are read.
  static let levelsMax = 4

  init(tree: FlatFieldTree) {
    self.tree = tree
  }

  /// Returns a record with its texts expanded, followed by padding and valid until the next but one call; nil if no text holds an object or an
  /// array, or if the record would be longer than a line may be.
  func expand(_ fields: ImportedFields) -> UnsafeRawBufferPointer? {
    swap(&expanded, &previous)
    expanded.removeAll()
    expansionCount = 0
    expanded.append(UInt8(ascii: "{"))
    appendMembers(0, fields.count, of: fields, in: FlatFieldTree.root)
    expanded.append(UInt8(ascii: "}"))
    let count = expanded.count
    guard expansionCount > 0, count <= Limits.lineBytesMax else { return nil }
    expanded.appendZeros(Self.paddingBytes)
    return UnsafeRawBufferPointer(rebasing: expanded.bytes[..<count])
  }

  private func appendMembers(_ start: Int, _ end: Int, of fields: ImportedFields, in parent: Int?) {
    var index = start
    while index < end {
      if index > start { expanded.append(UInt8(ascii: ",")) }
      let key = fields[index].key
      expanded.appendJSONString(key)
      expanded.append(UInt8(ascii: ":"))
      let node = parent.flatMap { tree.child(of: $0, key) ?? tree.descendant(of: $0, dotted: key) }
      append(index, of: fields, at: node)
      index = fields.end(of: index)
    }
  }

  private func append(_ index: Int, of fields: ImportedFields, at node: Int?) {
    let field = fields[index]
    let end = fields.end(of: index)
    if field.isObject {
      expanded.append(UInt8(ascii: "{"))
      appendMembers(index + 1, end, of: fields, in: node)
      expanded.append(UInt8(ascii: "}"))
    } else if field.isArray {
      expanded.append(UInt8(ascii: "["))
      var element = index + 1
      while element < end {
        if element > index + 1 { expanded.append(UInt8(ascii: ",")) }
        append(element, of: fields, at: nil)
        element = fields.end(of: element)
      }
      expanded.append(UInt8(ascii: "]"))
    } else if let node, tree.nodes[node].isContainer, let text = field.string, holdsContainer(text) {
      expanded.append(raw: text)
      expansionCount += 1
    } else {
      field.appendJSON(to: expanded)
    }
  }

  /// Returns whether a text is one JSON object or array. It is parsed, so that what it is put into stays what it was.
  private func holdsContainer(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.beginsContainer else { return false }
    candidate.removeAll()
    // The parser reads objects.
    candidate.append("{\"\":")
    candidate.append(raw: text)
    candidate.append(UInt8(ascii: "}"))
    let count = candidate.count
    candidate.appendZeros(Self.paddingBytes)
    guard let fields = parser.parse(UnsafeRawBufferPointer(rebasing: candidate.bytes[..<count])), fields.count > 0 else {
      return false
    }
    return fields.end(of: 0) == fields.count && (fields[0].isObject || fields[0].isArray)
  }
}

extension FlatFieldTree.Node {
  /// Whether a path leads on into the value, or its scalars become properties, and nobody asks for the value itself.
  var isContainer: Bool { slot < 0 && (hasChildren || treatment == .property && propertyKey.isEmpty) }
}

extension UnsafeRawBufferPointer {
  /// Whether the first sign of a text is that of an object or an array of JSON.
  var beginsContainer: Bool {
    let first = first { $0 > UInt8(ascii: " ") }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }
}
