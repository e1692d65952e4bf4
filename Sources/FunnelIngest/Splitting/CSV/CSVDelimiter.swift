import FunnelDecoding

/// Detects the delimiter of CSV fields.
enum CSVDelimiter {
  /// Returns the most frequent of `,`, `;`, tab and `|` outside of quotes in the header, or `nil` if the header
  /// is incomplete.
  ///
  /// - Parameters:
  ///   - beginning: The first bytes of the text.
  ///   - isWhole: Whether there are no more bytes. The result is then never `nil`.
  static func find(in beginning: Span<UInt8>, isWhole: Bool) -> UInt8? {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    var isInHeader = false
    for index in beginning.indices {
      let byte = beginning[index]
      if byte == Byte.quote { isQuoted.toggle() }
      guard isQuoted || byte != Byte.lineFeed && byte != Byte.carriageReturn else {
        // Line breaks before the header are blank lines.
        if isInHeader { return best(counts) }
        continue
      }
      isInHeader = true
      if !isQuoted, candidates.contains(byte) { counts[byte, default: 0] += 1 }
    }
    return isWhole ? best(counts) : nil
  }

  /// The possible delimiters. The first one has priority among equally frequent ones.
  private static let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")]

  /// Returns the most frequent delimiter.
  private static func best(_ counts: [UInt8: Int]) -> UInt8 {
    var best = candidates[0]
    for candidate in candidates where counts[candidate, default: 0] > counts[best, default: 0] { best = candidate }
    return best
  }
}
