import FunnelImport

/// The rule that determines which texts are CSV.
///
/// The enriched stream of Snowplow has tabs between its fields, but no header and no quotes. Only ``always`` makes it CSV.
package enum CSVDetection: Hashable, Sendable {
  /// No text is CSV.
  case never
  /// A text is CSV if its name ends in `.csv`, `.tsv`, or one of these and `.gz`, and it does not begin like JSON.
  case byName
  /// A text is CSV if it does not begin like JSON. This applies if a mapping for CSV is given.
  case unlessJSON
  /// Every text is CSV.
  case always

  /// Whether a text is CSV.
  ///
  /// - Parameters:
  ///   - name: The name of the file or zip entry.
  ///   - beginning: The first bytes of the text.
  package func isCSV(name: String, beginning: some Collection<UInt8>) -> Bool {
    switch self {
    case .never: return false
    case .always: return true
    case .unlessJSON: return !Self.hasOwnFormat(beginning)
    case .byName:
      let name = name.lowercased()
      return Self.endings.contains(where: name.hasSuffix) && !Self.hasOwnFormat(beginning)
    }
  }

  /// The endings of names of CSV files.
  private static let endings = [".csv", ".csv.gz", ".tsv", ".tsv.gz"]

  /// Whether a text begins like JSON or like a line of Snowplow.
  private static func hasOwnFormat(_ beginning: some Collection<UInt8>) -> Bool {
    let first = beginning.trimmingByteOrderMark.first { $0 > 0x20 }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return true }
    let line = Array(beginning.prefix { $0 != UInt8(ascii: "\n") })
    return SnowplowLine.isBeginning(line.span)
  }
}

extension Collection where Element == UInt8 {
  /// The bytes without a leading byte order mark of UTF-8.
  package var trimmingByteOrderMark: SubSequence { starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...] }
}
