/// The lines of events that could not be written, such as on a full disk. They wait in memory, in their order.
struct WaitingLines {
  /// The line of an event.
  struct Line {
    /// The line, with its line feed.
    let bytes: [UInt8]
    /// The event's `seq`.
    let sequence: Int
    /// The time at which the event was recorded.
    let recorded: Moment
  }

  private var lines: ArraySlice<Line> = []

  /// The number of lines.
  var count: Int { lines.count }

  var isEmpty: Bool { lines.isEmpty }

  /// The line that is written next, or `nil` if none waits.
  var first: Line? { lines.first }

  mutating func append(_ line: Line) {
    assert(lines.last.map { $0.sequence < line.sequence } ?? true, "lines wait in the order of their events")
    lines.append(line)
  }

  mutating func removeFirst() { lines.removeFirst() }

  mutating func removeAll() { lines = [] }
}
