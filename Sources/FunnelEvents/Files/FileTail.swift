import FunnelModel

/// The end of an event file, which shows whether the process that wrote it was killed.
struct FileTail: Hashable {
  /// Whether the last line has no line feed.
  let isUnended: Bool
  /// Whether the last line is only a part of an event. Such a line has no line feed.
  let isTorn: Bool
  /// The number of complete events.
  let eventCount: Int
  /// The `seq` of the last complete event, or `nil` if there is none.
  var lastSequence: Int?

  /// Examines the contents of a file.
  init(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    isUnended = !bytes.isEmpty && bytes.last != UInt8(ascii: "\n")
    let sequences = lines.reversed().lazy.map(Self.sequence)
    isTorn = isUnended && sequences.first.flatMap { $0 } == nil
    // Incomplete lines of earlier processes are counted too: finding them would require parsing every line.
    eventCount = lines.count - (isTorn ? 1 : 0)
    lastSequence = sequences.first { $0 != nil }.flatMap { $0 }
  }

  /// Returns the `seq` of a line, or `nil` if it is not a complete event.
  private static func sequence(of line: ArraySlice<UInt8>) -> Int? {
    guard case .number(let text)? = (try? JSONDocument(parsing: Array(line)))?.root["seq"]?.value else { return nil }
    return Int(text)
  }
}
