/// The counts of one group as far as the order of its events determines them: the counters to raise, and the times to record.
///
/// Two things depend on the times of the events: whether a window is still open, and the group's segment. Groups whose events are of the
/// same kinds in the same order therefore have the same outline, as long as no time limit cuts one of them short (``FoldWorker``).
public struct Outline: Sendable {
  /// Counters and times that are counted together: the segment is that of one event, and the window opens with it.
  struct Part: Sendable {
    /// The group's anchor, or its first pre-prompt, as an index into its events.
    var event: UInt32
    /// The range of the counters to raise.
    var counterStart: UInt16
    var counterEnd: UInt16
    /// The range of the times to record.
    var spanStart: UInt16
    var spanEnd: UInt16
  }

  /// The window that a group must have for a counter to be raised.
  public enum Condition: UInt8, Sendable {
    case always, ifClosed, ifOpen
  }

  /// A counter to raise, always or depending on the window.
  struct Counter: Sendable {
    let number: UInt16
    let condition: Condition

    /// Returns whether the counter is raised for a group whose window is open, or closed.
    @inline(__always)
    func counts(isOpen: Bool) -> Bool { condition == .always || (condition == .ifOpen) == isOpen }
  }

  /// A time between two events.
  struct Span: Sendable {
    /// Indices into the group's events.
    var from: UInt32
    var to: UInt32
    /// The number of the duration.
    var duration: UInt16
    /// Whether the time is recorded only if the window is closed.
    var onlyIfClosed: Bool
  }

  /// The value that means no event.
  package static let none = UInt32.max

  /// The first counter and duration of the projector that is adding its counts.
  var base = SlotBase()
  private(set) var parts: [Part] = []
  private(set) var counters: [Counter] = []
  private(set) var spans: [Span] = []
  /// The events that matched the steps that segments depend on (``SegmentQuestion/steps``), or ``none`` for steps that were not reached.
  var stepEvents: [UInt32] = []

  package init() {}

  /// Removes everything but keeps the storage, so that the next group is outlined without allocating.
  mutating func removeAll() {
    parts.removeAll(keepingCapacity: true)
    counters.removeAll(keepingCapacity: true)
    spans.removeAll(keepingCapacity: true)
    stepEvents.removeAll(keepingCapacity: true)
  }

  /// Begins a part, to which later counters and times belong.
  public mutating func beginPart(at event: Int) {
    let (counter, span) = (UInt16(counters.count), UInt16(spans.count))
    parts.append(
      Part(event: UInt32(event), counterStart: counter, counterEnd: counter, spanStart: span, spanEnd: span))
  }

  /// Adds a counter to raise; by default it is raised whether the window is open or closed.
  public mutating func count(_ counter: Int, _ condition: Condition = .always) {
    counters.append(Counter(number: UInt16(base.counter + counter), condition: condition))
    parts[parts.count - 1].counterEnd += 1
  }

  /// Adds a time between two events.
  public mutating func time(_ duration: Int, from: Int, to: Int, onlyIfClosed: Bool = false) {
    spans.append(
      Span(from: UInt32(from), to: UInt32(to), duration: UInt16(base.duration + duration), onlyIfClosed: onlyIfClosed))
    parts[parts.count - 1].spanEnd += 1
  }

  /// Calls `body` with a view of the outline, which is what is counted.
  @inline(__always)
  package func withView<Result>(_ body: (OutlineView) -> Result) -> Result {
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
