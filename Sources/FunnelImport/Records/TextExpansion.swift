import FunnelModel

/// Rewrites a record so that objects replace the strings that contain them as JSON text.
///
/// Exports to tables have such strings: `"properties":"{\"plan\":\"pro\"}"`. Not thread-safe: each worker owns one.
final class TextExpansion {
  private let tree: FieldTree
  private let cells = JSONCellParser()
  /// The rewritten record.
  private var expanded = LineBuffer()
  /// The result of the previous call, which may contain the fields of this one.
  private var previous = LineBuffer()
  /// The number of strings that were replaced in this call.
  private var expansionCount = 0

  /// The maximum number of nested strings that are expanded.
  static let levelsMax = 4

  /// Creates an expansion of the strings at paths of a tree.
  init(tree: FieldTree) { self.tree = tree }

  /// Returns a record with its strings expanded, followed by padding and valid until the next but one call.
  ///
  /// Returns `nil` if there is nothing to expand, or if the result would exceed the size of a line.
  @_lifetime(copy fields)
  func expand(_ fields: ImportedFields) -> Span<UInt8>? {
    swap(&expanded, &previous)
    expanded.removeAll()
    expansionCount = 0
    expanded.append(UInt8(ascii: "{"))
    appendMembers(0..<fields.count, of: fields, in: FieldTree.root)
    expanded.append(UInt8(ascii: "}"))
    let count = expanded.count
    guard expansionCount > 0, count <= Limits.lineBytesMax else { return nil }
    expanded.appendZeros(ImportedRecordParser.paddingBytes)
    let result = expanded
    return _overrideLifetime(result.bytes.extracting(first: count), copying: fields)
  }

  /// Appends the members of an object. `parent` is its node, or `nil` if the field tree has none.
  private func appendMembers(_ members: Range<Int>, of fields: ImportedFields, in parent: Int?) {
    var index = members.lowerBound
    while index < members.upperBound {
      if index > members.lowerBound { expanded.append(UInt8(ascii: ",")) }
      expanded.appendJSONString(fields[index].key)
      expanded.append(UInt8(ascii: ":"))
      let node: Int? = if let parent { tree.member(of: parent, fields[index].key) } else { nil }
      append(index, of: fields, at: node)
      index = fields.end(of: index)
    }
  }

  /// Appends a value. `node` is its node, or `nil` if the field tree has none.
  private func append(_ index: Int, of fields: ImportedFields, at node: Int?) {
    let field = fields[index]
    if field.isObject {
      expanded.append(UInt8(ascii: "{"))
      appendMembers(index + 1..<fields.end(of: index), of: fields, in: node)
      expanded.append(UInt8(ascii: "}"))
    } else if field.isArray {
      // Nothing is expanded by a path in the elements of an array.
      expanded.appendJSON(at: index, of: fields)
    } else if let node, tree.nodes[node].isContainer, let text = field.string, cells.isContainer(text) {
      expanded.append(copying: text)
      expansionCount += 1
    } else {
      field.appendJSON(to: expanded)
    }
  }
}

extension Span<UInt8> {
  /// Whether the first byte after white space opens a JSON object or array.
  var beginsContainer: Bool {
    let first = first { $0 > UInt8(ascii: " ") }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }
}
