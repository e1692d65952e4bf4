/// Which inputs are read as CSV.
package enum CSVDetection: Hashable, Sendable {
  /// No input.
  case never
  /// Inputs, and entries of a zip, whose name ends in `.csv` or `.csv.gz` and that do not begin like JSON.
  case byName
  /// Inputs, whatever their name, that do not begin like JSON: a mapping of columns was given.
  case unlessJSON
  /// Every input.
  case always

  /// Returns whether a text is read as CSV.
  ///
  /// - Parameters:
  ///   - name: The name of the file or of the entry.
  ///   - beginning: The first bytes of the text.
  func isCSV(name: String, beginning: some Collection<UInt8>) -> Bool {
    switch self {
    case .never: return false
    case .always: return true
    case .unlessJSON: return !Self.looksLikeJSON(beginning)
    case .byName:
      let name = name.lowercased()
      return (name.hasSuffix(".csv") || name.hasSuffix(".csv.gz")) && !Self.looksLikeJSON(beginning)
    }
  }

  private static func looksLikeJSON(_ beginning: some Collection<UInt8>) -> Bool {
    let first = beginning.trimmingByteOrderMark.first { $0 > 0x20 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }
}

extension Collection where Element == UInt8 {
  /// The bytes behind the byte order mark of UTF-8, if there is one.
  var trimmingByteOrderMark: SubSequence { starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...] }
}
