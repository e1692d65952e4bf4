/// The field `"sent_at":"…"` of events, the time of sending. It is the last field before the version.
enum SentTime {
  private static let key = Array(",\"sent_at\":\"".utf8)
  private static let end = Array(",\"v\":1}".utf8)

  /// Returns lines with a time of sending. It replaces that of an earlier upload that failed. A line that does not end
  /// like an event, because it is incomplete, is not changed.
  static func stamped(_ lines: [UInt8], _ time: Timestamp) -> [UInt8] {
    let stamp = key + Array("\(time)\"".utf8)
    var output: [UInt8] = []
    output.reserveCapacity(lines.count + lines.count / 4)
    for line in lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
      if line.ends(with: end) {
        output += unstamped(line.dropLast(end.count), stampByteCount: stamp.count)
        output += stamp
        output += end
      } else {
        output += line
      }
      output.append(UInt8(ascii: "\n"))
    }
    return output
  }

  /// Returns the start of a line without its time of sending. All times have the same length.
  private static func unstamped(_ line: ArraySlice<UInt8>, stampByteCount: Int) -> ArraySlice<UInt8> {
    line.suffix(stampByteCount).starts(with: key) ? line.dropLast(stampByteCount) : line
  }
}

extension ArraySlice<UInt8> {
  fileprivate func ends(with bytes: [UInt8]) -> Bool { suffix(bytes.count).elementsEqual(bytes) }
}
