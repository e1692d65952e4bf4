/// The field `"ts":"…"` of events, the second one of a line.
enum EventTime {
  private static let start = Array("{\"name\":\"".utf8)
  private static let separator = Array("\",\"ts\":\"".utf8)

  /// Returns lines whose events are moved in time. A line that does not begin like an event, because it is incomplete, is not changed.
  static func shifted(_ lines: [UInt8], by milliseconds: Int64) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(lines.count)
    for line in lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
      if let range = range(in: line), let time = Timestamp(description: line[range]) {
        let shifted = Timestamp(milliseconds: time.milliseconds + milliseconds)
        let limits = Timestamp.writable
        output += line[..<range.lowerBound]
        output.append(text: "\(min(max(shifted, limits.lowerBound), limits.upperBound))")
        output += line[range.upperBound...]
      } else {
        output += line
      }
      output.append(UInt8(ascii: "\n"))
    }
    return output
  }

  /// Returns the range of the time in a line, or `nil` if the line does not begin like an event.
  private static func range(in line: ArraySlice<UInt8>) -> Range<Int>? {
    guard line.starts(with: start) else { return nil }
    // A name has no character that would be escaped.
    guard let quote = line.dropFirst(start.count).firstIndex(of: UInt8(ascii: "\"")) else { return nil }
    guard line[quote...].starts(with: separator) else { return nil }
    let first = quote + separator.count
    guard line.endIndex - first >= Timestamp.descriptionBytes else { return nil }
    return first..<(first + Timestamp.descriptionBytes)
  }
}
