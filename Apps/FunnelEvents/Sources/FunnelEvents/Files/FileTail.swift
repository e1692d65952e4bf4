import Foundation

/// The end of an event file, which shows whether the process that wrote it was killed.
struct FileTail: Hashable {
  /// The last line of an event file.
  enum LastLine: Hashable {
    /// The line ends with a line feed, or the file is empty.
    case terminated
    /// The line is a complete event without its line feed.
    case unterminated
    /// The line is only a part of an event, without a line feed.
    case torn
  }

  let lastLine: LastLine
  /// The number of complete events.
  let eventCount: Int
  /// The `seq` of the last complete event, or `nil` if there is none.
  let lastSequence: Int?

  /// Examines the contents of a file.
  init(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    if bytes.isEmpty || bytes.last == UInt8(ascii: "\n") {
      lastLine = .terminated
    } else {
      lastLine = lines.last.flatMap(Self.sequence) == nil ? .torn : .unterminated
    }
    // Incomplete lines of earlier processes are counted too: finding them would require parsing every line.
    eventCount = lines.count - (lastLine == .torn ? 1 : 0)
    lastSequence = lines.reversed().lazy.compactMap(Self.sequence).first
  }

  /// Returns the `seq` of a line, or `nil` if it is not a complete event.
  private static func sequence(of line: ArraySlice<UInt8>) -> Int? {
    let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
    return object?["seq"] as? Int
  }
}
