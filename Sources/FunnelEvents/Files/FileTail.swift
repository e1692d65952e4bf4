import FunnelModel

/// What the end of a file of events says about the process that wrote it.
struct FileTail: Hashable {
  /// Whether the last line has no line feed.
  var isUnended: Bool
  /// Whether the last line is only a part of an event.
  var isTorn: Bool
  /// The number of whole events.
  var eventCount: Int
  /// The `seq` of the last whole event, or nil if there is none.
  var lastSequence: Int?

  /// Examines the contents of a file.
  init(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    isUnended = !bytes.isEmpty && bytes.last != UInt8(ascii: "\n")
    let sequences = lines.reversed().lazy.map(Self.sequence)
    isTorn = isUnended && sequences.first.flatMap { $0 } == nil
    // A line that an earlier process tore off was told then; it is no event either, but finding it would mean to parse every line.
    eventCount = lines.count - (isTorn ? 1 : 0)
    lastSequence = sequences.first { $0 != nil }.flatMap { $0 }
  }

  /// Returns the `seq` of a line, or nil if it is no whole event.
  private static func sequence(of line: ArraySlice<UInt8>) -> Int? {
    guard case .number(let text)? = (try? JSONDocument(parsing: Array(line)))?.root["seq"]?.value else { return nil }
    return Int(text)
  }
}
