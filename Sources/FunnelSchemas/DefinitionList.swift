import FunnelModel

/// Splits a JSON file that holds an array of flow definitions, as `funnel schema infer` prints for several versions.
enum DefinitionList {
  /// One definition of the array.
  struct Element {
    /// The text of the definition.
    let bytes: [UInt8]
    /// The text to parse: the definition at the line and column that it has in the file, after spaces and line feeds.
    let placed: [UInt8]
  }

  /// Returns the elements of the array in a file, or `nil` if the file is not a nonempty JSON array.
  static func elements(of file: [UInt8]) -> [Element]? {
    guard file.first(where: { $0 > 0x20 }) == UInt8(ascii: "["), let document = try? JSONDocument(parsing: file),
      case .array(let nodes) = document.root.value, !nodes.isEmpty
    else { return nil }
    return nodes.map { node in
      let start = offset(of: node.position, in: file)
      let end = end(ofValueAt: start, in: file)
      // Blanking the preceding bytes makes the parser report positions in the file.
      let blanks = file[..<start].map { $0 == UInt8(ascii: "\n") ? $0 : UInt8(ascii: " ") }
      return Element(bytes: Array(file[start..<end]) + [UInt8(ascii: "\n")], placed: blanks + file[start..<end])
    }
  }

  /// Returns the byte offset of a position, whose column counts Unicode scalars.
  private static func offset(of position: JSONDocument.Position, in file: [UInt8]) -> Int {
    var offset = 0
    for _ in 1..<position.line { offset = file[offset...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? offset }
    var column = 1
    while column < position.column {
      offset += 1
      // Skip the continuation bytes of the scalar.
      while offset < file.count, file[offset] & 0xC0 == 0x80 { offset += 1 }
      column += 1
    }
    return offset
  }

  /// Returns the offset after the JSON value that starts at an offset. The file must be valid JSON.
  private static func end(ofValueAt start: Int, in file: [UInt8]) -> Int {
    var depth = 0
    var index = start
    while index < file.count {
      switch file[index] {
      case UInt8(ascii: "\""): index = lastIndex(ofStringAt: index, in: file)
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      // The bracket of the array or the comma after a scalar.
      case UInt8(ascii: "]") where depth == 0, UInt8(ascii: ",") where depth == 0: return index
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return index + 1 }
      default: break
      }
      index += 1
    }
    return index
  }

  /// Returns the offset of the quote that ends the string whose first quote is at an offset.
  private static func lastIndex(ofStringAt start: Int, in file: [UInt8]) -> Int {
    assert(file[start] == UInt8(ascii: "\""), "a string starts with a quote")
    var index = start + 1
    while index < file.count, file[index] != UInt8(ascii: "\"") { index += file[index] == UInt8(ascii: "\\") ? 2 : 1 }
    return index
  }
}
