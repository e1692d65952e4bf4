import FunnelModel

/// The definitions of a file that holds an array of them, as `funnel schema infer` prints several versions.
enum DefinitionList {
  /// A definition: its own text, and the text that is parsed, in which it stands at the line and column that it has in the file.
  struct Element {
    var bytes: [UInt8]
    var placed: [UInt8]
  }

  /// Returns the elements of the array in a file, or nil if the file is anything else than an array with elements.
  static func elements(of file: [UInt8]) -> [Element]? {
    guard file.first(where: { $0 > 0x20 }) == UInt8(ascii: "["), let document = try? JSONDocument(parsing: file),
      case .array(let nodes) = document.root.value, !nodes.isEmpty
    else { return nil }
    return nodes.map { node in
      let start = offset(of: node.position, in: file)
      let end = end(ofValueAt: start, in: file)
      // Everything in front becomes blanks, so that problems are told with their place in the file.
      let blanks = file[..<start].map { $0 == UInt8(ascii: "\n") ? $0 : UInt8(ascii: " ") }
      return Element(bytes: Array(file[start..<end]) + [UInt8(ascii: "\n")], placed: blanks + file[start..<end])
    }
  }

  /// Returns the offset of a position, whose column counts characters.
  private static func offset(of position: JSONDocument.Position, in file: [UInt8]) -> Int {
    var offset = 0
    for _ in 1..<position.line { offset = file[offset...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? offset }
    var column = 1
    while column < position.column {
      offset += 1
      // The other bytes of a character are no column of their own.
      while offset < file.count, file[offset] & 0xC0 == 0x80 { offset += 1 }
      column += 1
    }
    return offset
  }

  /// Returns the end of a value of valid JSON.
  private static func end(ofValueAt start: Int, in file: [UInt8]) -> Int {
    var depth = 0
    var isQuoted = false
    var index = start
    while index < file.count {
      let byte = file[index]
      if isQuoted {
        if byte == UInt8(ascii: "\\") { index += 1 }
        if byte == UInt8(ascii: "\"") { isQuoted = false }
      } else if byte == UInt8(ascii: "\"") {
        isQuoted = true
      } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        depth += 1
      } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
        depth -= 1
        if depth == 0 { return index + 1 }
        if depth < 0 { return index }
      } else if depth == 0, byte == UInt8(ascii: ",") {
        return index
      }
      index += 1
    }
    return index
  }
}
