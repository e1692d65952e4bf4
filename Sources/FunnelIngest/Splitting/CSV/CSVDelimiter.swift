import FunnelDecoding

/// Detects the delimiter of CSV fields, by a line such as `sep=;` that Excel writes, or else by the header.
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

  /// Returns the delimiter that the first line names, and the number of bytes of that line with its line break, or `nil` if the
  /// first line is another one.
  static func named(in beginning: Span<UInt8>) -> (delimiter: UInt8, byteCount: Int)? {
    let key: StaticString = "sep="
    let keyCount = key.utf8CodeUnitCount
    guard beginning.count > keyCount + 1, (0..<keyCount).allSatisfy({ beginning[$0] | 0x20 == key.utf8Start[$0] | 0x20 }) else {
      return nil
    }
    var end = keyCount + 1
    if beginning[end] == Byte.carriageReturn, end + 1 < beginning.count { end += 1 }
    return beginning[end] == Byte.lineFeed ? (beginning[keyCount], end + 1) : nil
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
