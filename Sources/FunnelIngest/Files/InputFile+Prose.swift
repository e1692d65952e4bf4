import FunnelDecoding
import FunnelImport
package import FunnelModel
import FunnelSystem

// Files that hold text instead of records, such as `notes.txt` in a folder of logs.
extension InputFile {
  /// The number of first bytes in which a record is looked for.
  static let proseBytesMax = 1 << 16

  /// Returns whether a file may hold text instead of records, by its name: `*.log` and `*.txt`, also compressed.
  static func mayBeProse(_ name: String) -> Bool {
    let ending = ending(of: name.lowercased())
    return ending.hasPrefix(".log") || ending.hasPrefix(".txt")
  }

  /// Returns whether no line of a text begins as a record does. An empty text is not prose.
  static func isProse(_ beginning: some Collection<UInt8>) -> Bool {
    if SnowplowLine.isBeginning(Array(beginning.prefix { $0 != Byte.lineFeed }).span) { return false }
    var isAtLineStart = true
    var isAfterBracket = false
    var isEmpty = true
    for byte in beginning.trimmingByteOrderMark {
      if byte == Byte.lineFeed {
        isAtLineStart = true
      } else if byte > Byte.space {
        // The lines of many servers begin with a time in brackets.
        if byte == Byte.openBrace, isAtLineStart || isAfterBracket { return false }
        isAfterBracket = byte == Byte.openBracket && isAtLineStart
        isAtLineStart = false
        isEmpty = false
      }
    }
    return !isEmpty
  }

  /// Returns whether the file holds text instead of records, by its name and its first bytes.
  ///
  /// - Throws: `noInput` or `inputOutput` if the file can't be read.
  package func holdsProse() throws(FunnelError) -> Bool {
    guard Self.mayBeProse(path) else { return false }
    let texts = InputTexts(self, try open(), csv: .never, encoding: nil)
    guard let text = try texts.next() else { return false }
    return try Self.isProse(text.stream.peek(Self.proseBytesMax))
  }
}
