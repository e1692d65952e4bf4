import FunnelModel

/// Rewrites a record so that objects replace the strings that contain them as JSON text.
///
/// Exports to tables have such strings: `"properties":"{\"plan\":\"pro\"}"`. Not thread-safe: each worker owns one.
final class TextExpansion {
  private let tree: FlatFieldTree
  private let parser = ImportedRecordParser()
  /// The rewritten record.
  private var expanded = LineBuffer()
  /// The result of the previous call, which may contain the fields of this one.
  private var previous = LineBuffer()
  /// A string with the padding that the parser needs.
  private let candidate = LineBuffer()
  /// The number of strings that were replaced in this call.
  private var expansionCount = 0

  /// The number of zeros after a text, at least as many as the parser reads beyond its end.
  private static let paddingBytes = 64
  /// The maximum number of nested strings that are expanded.
  static let levelsMax = 4

  /// Creates an expansion of the strings at paths of a tree.
  init(tree: FlatFieldTree) {
    self.tree = tree
  }

  /// Returns a record with its strings expanded, followed by padding and valid until the next but one call.
  ///
  /// Returns `nil` if there is nothing to expand, or if the result would exceed the size of a line.
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

  /// Appends the members of an object. `parent` is its node, or `nil` if the field tree has none.
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

  /// Appends a value. `node` is its node, or `nil` if the field tree has none.
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

  /// Whether a string is exactly one JSON object or array.
  private func holdsContainer(_ text: UnsafeRawBufferPointer) -> Bool {
    // The string is parsed, because inserting an invalid one would change the structure of the record.
    guard text.beginsContainer else { return false }
    candidate.removeAll()
    // The parser only accepts objects, so the text becomes the value of a member.
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
  /// Whether the plan reads members of the value, but not the value itself.
  var isContainer: Bool { slot == Self.noSlot && (hasChildren || treatment == .property && propertyKey.isEmpty) }
}

extension UnsafeRawBufferPointer {
  /// Whether the first byte after white space opens a JSON object or array.
  var beginsContainer: Bool {
    let first = first { $0 > UInt8(ascii: " ") }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }
}
