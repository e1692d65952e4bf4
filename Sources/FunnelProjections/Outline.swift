/// What one group counts for, as far as the order of its events tells: which counters go up, and which times between events are taken.
///
/// Two things are left to the times of the events: whether a window is still open, and which segment the group falls into.
/// So groups whose events are of the same kinds in the same order have the same outline, as long as no limit of time cuts one of
/// them short (``FoldWorker``).
struct Outline {
  /// What is counted together: the segment is that of one event, and the window opens with it.
  struct Part {
    /// The group's anchor, or its first pre-prompt: an index into its events.
    var event: UInt32
    /// The counters that go up whether the window is open or not.
    var counterStart: UInt16
    var counterEnd: UInt16
    /// The counter that goes up where the window is closed, and the one where it is open; ``none`` where there is none.
    var closedCounter = Outline.none
    var openCounter = Outline.none
    /// The times that are taken.
    var spanStart: UInt16
    var spanEnd: UInt16
  }

  /// A time from one event to another.
  struct Span {
    /// Indices into the group's events.
    var from: UInt32
    var to: UInt32
    /// What the time is of.
    var duration: UInt16
    /// Whether it is taken only where the window is closed.
    var onlyIfClosed: Bool
  }

  /// No counter.
  static let none = UInt16.max

  private(set) var parts: [Part] = []
  private(set) var counters: [UInt16] = []
  private(set) var spans: [Span] = []

  /// Forgets all, so that the next group is outlined without allocating.
  mutating func removeAll() {
    parts.removeAll(keepingCapacity: true)
    counters.removeAll(keepingCapacity: true)
    spans.removeAll(keepingCapacity: true)
  }

  /// Begins a part; what is added from here on belongs to it.
  mutating func beginPart(at event: Int) {
    let (counter, span) = (UInt16(counters.count), UInt16(spans.count))
    parts.append(
      Part(event: UInt32(event), counterStart: counter, counterEnd: counter, spanStart: span, spanEnd: span))
  }

  /// Adds a counter that goes up whether the window is open or not.
  mutating func count(_ counter: Int) {
    counters.append(UInt16(counter))
    parts[parts.count - 1].counterEnd += 1
  }

  /// Says which counter goes up once the window is closed, and which while it is open. A part has at most one such pair.
  mutating func count(ifClosed closed: Int, ifOpen open: Int) {
    parts[parts.count - 1].closedCounter = UInt16(closed)
    parts[parts.count - 1].openCounter = UInt16(open)
  }

  /// Adds a time from one event to another.
  mutating func time(_ duration: Int, from: Int, to: Int, onlyIfClosed: Bool = false) {
    spans.append(Span(from: UInt32(from), to: UInt32(to), duration: UInt16(duration), onlyIfClosed: onlyIfClosed))
    parts[parts.count - 1].spanEnd += 1
  }

  /// Lends the outline in the form in which outlines are counted.
  @inline(__always)
  func withView<Result>(_ body: (OutlineView) -> Result) -> Result {
    parts.withUnsafeBufferPointer { parts in
      counters.withUnsafeBufferPointer { counters in
        spans.withUnsafeBufferPointer { body(OutlineView(parts: parts, counters: counters, spans: $0)) }
      }
    }
  }
}
