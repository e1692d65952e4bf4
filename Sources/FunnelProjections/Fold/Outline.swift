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
    /// The counters that go up.
    var counterStart: UInt16
    var counterEnd: UInt16
    /// The times that are taken.
    var spanStart: UInt16
    var spanEnd: UInt16
  }

  /// A counter that goes up, always or depending on the window.
  struct Counter {
    enum Condition: UInt8 {
      case always, ifClosed, ifOpen
    }

    let number: UInt16
    let condition: Condition

    /// Whether the counter goes up for a group whose window is open, or closed.
    @inline(__always)
    func counts(isOpen: Bool) -> Bool { condition == .always || (condition == .ifOpen) == isOpen }
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

  /// In the place of an event: there is none.
  static let none = UInt32.max

  private(set) var parts: [Part] = []
  private(set) var counters: [Counter] = []
  private(set) var spans: [Span] = []
  /// The events that matched the steps that segments depend on (``SegmentQuestion/steps``), ``none`` for those not reached.
  var stepEvents: [UInt32] = []

  /// Forgets all, so that the next group is outlined without allocating.
  mutating func removeAll() {
    parts.removeAll(keepingCapacity: true)
    counters.removeAll(keepingCapacity: true)
    spans.removeAll(keepingCapacity: true)
    stepEvents.removeAll(keepingCapacity: true)
  }

  /// Begins a part; what is added from here on belongs to it.
  mutating func beginPart(at event: Int) {
    let (counter, span) = (UInt16(counters.count), UInt16(spans.count))
    parts.append(
      Part(event: UInt32(event), counterStart: counter, counterEnd: counter, spanStart: span, spanEnd: span))
  }

  /// Adds a counter that goes up, if nothing else is said whether the window is open or not.
  mutating func count(_ counter: Int, _ condition: Counter.Condition = .always) {
    counters.append(Counter(number: UInt16(counter), condition: condition))
    parts[parts.count - 1].counterEnd += 1
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
        spans.withUnsafeBufferPointer { spans in
          stepEvents.withUnsafeBufferPointer {
            body(OutlineView(parts: parts, counters: counters, spans: spans, stepEvents: $0))
          }
        }
      }
    }
  }
}
