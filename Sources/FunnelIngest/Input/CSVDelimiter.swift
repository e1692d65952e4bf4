/// Finds out what separates the fields of CSV.
enum CSVDelimiter {
  /// Returns the sign that the header has most often outside of quotes, of `,`, `;`, tab and `|`, or nil if more of the header is needed.
  ///
  /// - Parameters:
  ///   - beginning: The first bytes of the text.
  ///   - isWhole: Whether no more of the text is to come, or looked at.
  static func find(in beginning: some Collection<UInt8>, isWhole: Bool) -> UInt8? {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    var isInHeader = false
    for byte in beginning {
      if byte == Byte.quote { isQuoted.toggle() }
      guard isQuoted || byte != Byte.lineFeed && byte != Byte.carriageReturn else {
        // Line breaks in front of the header are blank lines.
        if isInHeader { return best(counts) }
        continue
      }
      isInHeader = true
      if !isQuoted, candidates.contains(byte) { counts[byte, default: 0] += 1 }
    }
    return isWhole ? best(counts) : nil
  }

  /// The signs that are looked for; of those that are equally frequent, the first is taken.
  private static let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")]

  private static func best(_ counts: [UInt8: Int]) -> UInt8 {
    var best = candidates[0]
    for candidate in candidates where counts[candidate, default: 0] > counts[best, default: 0] { best = candidate }
    return best
  }
}
