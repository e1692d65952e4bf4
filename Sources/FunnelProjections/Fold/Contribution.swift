public import FunnelHistories
public import FunnelModel

/// The counts of one group as far as the order of its events determines them: the counters to raise, and the times to record.
///
/// Two things depend on the times of the events: whether a window is still open, and the group's segment. Groups whose events are of the
/// same kinds in the same order therefore have the same outline, as long as no time limit cuts them short in different places
/// (``FoldWorker``).
public struct Contribution: Sendable {
  /// Counters, times and notes that are counted together: the segment is that of one event, and the window opens with one.
  struct Part: Sendable {
    /// The group's anchor, or its first pre-prompt, as an index into its events: it selects the segment, and a query about closed windows
    /// asks for the one that opens with it.
    var event: UInt32
    /// The event with which the window opens on which counters depend.
    var opening: UInt32
    /// The range of the counters to raise.
    var counterStart: UInt32
    var counterEnd: UInt32
    /// The range of the times to record.
    var spanStart: UInt32
    var spanEnd: UInt32
    /// The range of the notes to take.
    var noteStart: UInt32
    var noteEnd: UInt32
    /// Whether the group counts whatever the query's conditions say, in the segment without values.
    var isUnconditional: Bool
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

  /// Something to be noted that is more than a number: a property's value, or the subject as an example.
  package struct Note: Sendable {
    package enum Content: UInt8, Sendable {
      /// The values that an event has for the keys of the slot.
      case values
      /// The same; a key that the event lacks is taken from the last event of the group before it that has it.
      case valuesSoFar
      /// All properties of an event, each by itself.
      case properties
      /// The subject, among the first few in the order of bytes.
      case example
      /// Values that the projector made, by index in ``Outline/constants``.
      case constant
      /// An event that provides the values of a step, for the coverage that is noted next; the slot is the step.
      case coverageOfStep
      /// Which keys of the query the anchor lacks (``KeyCoverageCounter``).
      case coverage
      /// The same, of a group that completed the flow.
      case coverageOfCompleted
      /// Whether the group's events have several values of a key of the query: then a counter is raised.
      case mixed
    }

    /// The number of the values slot, of the properties slot or of the example slot; of the first counter for coverage and mixed values; of
    /// the step.
    package let slot: UInt16
    package let content: Content
    /// The index of the event among the group's, or of the constant.
    package let event: UInt32
  }

  /// The value that means no event.
  package static let none = UInt32.max

  /// The first counter and duration of the projector that is adding its counts.
  var base = SlotBase()
  private(set) var parts: [Part] = []
  private(set) var counters: [Counter] = []
  private(set) var spans: [Span] = []
  private(set) var notes: [Note] = []
  private(set) var constants: [[PropertyValue]] = []
  /// Whether the outline depends on the times of the events beyond what the cache allows, so that it must not be cached.
  public private(set) var dependsOnTimes = false
  /// The meanings of the codes of the group's events.
  private(set) var entries: [EventClassTable.Entry] = []
  /// The events of the group that break a rule about several groups of their subject, by their index in the group.
  public package(set) var eventsAgainstOtherGroups: Set<Int> = []
  /// The events of the steps that segments depend on (``SegmentQuery/steps``), two for each: its match and its first completion, or
  /// ``none``.
  var stepEvents: [UInt32] = []

  package init() {}

  /// Removes everything but keeps the storage, so that the next group is outlined without allocating.
  mutating func removeAll() {
    parts.removeAll(keepingCapacity: true)
    counters.removeAll(keepingCapacity: true)
    spans.removeAll(keepingCapacity: true)
    notes.removeAll(keepingCapacity: true)
    constants.removeAll()
    dependsOnTimes = false
    stepEvents.removeAll(keepingCapacity: true)
  }

  /// Begins a part, to which later counters, times and notes belong.
  ///
  /// - Parameters:
  ///   - event: The event that selects the segment.
  ///   - opening: The event with which the window opens on which counters depend, if it is another.
  ///   - isUnconditional: Whether the group counts whatever the query's conditions say, in the segment without values.
  public mutating func beginSection(at event: Int, opening: Int? = nil, isUnconditional: Bool = false) {
    let (counter, span, note) = (UInt32(counters.count), UInt32(spans.count), UInt32(notes.count))
    parts.append(
      Part(
        event: UInt32(event), opening: UInt32(opening ?? event), counterStart: counter, counterEnd: counter, spanStart: span,
        spanEnd: span, noteStart: note, noteEnd: note, isUnconditional: isUnconditional))
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

  /// Adds the values that an event has for the keys of a slot (``Projector/valueKeys``) to the values counted there.
  ///
  /// - Parameter soFar: Whether a key that the event lacks is taken from the last event of the group before it that has it.
  public mutating func noteValues(_ slot: Int, of event: Int, soFar: Bool = false) {
    append(Note(slot: UInt16(base.values + slot), content: soFar ? .valuesSoFar : .values, event: UInt32(event)))
  }

  /// Adds values that the projector made to those counted in a slot. Such an outline is not cached.
  public mutating func noteValues(_ slot: Int, _ values: [PropertyValue]) {
    dependsOnTimes = true
    append(Note(slot: UInt16(base.values + slot), content: .constant, event: UInt32(constants.count)))
    constants.append(values)
  }

  /// Adds all properties of an event to those counted in a slot, each by itself.
  public mutating func noteProperties(_ slot: Int, of event: Int) {
    append(Note(slot: UInt16(base.properties + slot), content: .properties, event: UInt32(event)))
  }

  /// Makes the subject one of the examples of a slot, if it is among the first few in the order of bytes.
  public mutating func noteExample(_ slot: Int) {
    append(Note(slot: UInt16(base.example + slot), content: .example, event: 0))
  }

  /// Adds an event that provides the values of a step to the coverage that is noted next.
  mutating func noteCoverage(ofStep step: Int, event: Int) {
    append(Note(slot: UInt16(step), content: .coverageOfStep, event: UInt32(event)))
  }

  /// Adds which keys of the query the anchor of a group lacks to what is counted from a counter on (``KeyCoverageCounterIDs``).
  package mutating func noteCoverage(_ counter: Int, anchor: Int, isCompleted: Bool) {
    append(
      Note(
        slot: UInt16(base.counter + counter), content: isCompleted ? .coverageOfCompleted : .coverage, event: UInt32(anchor)))
  }

  /// Raises a counter if the group's events from the anchor on, within the window, have several values of a key that groups are split by.
  mutating func noteMixed(_ counter: Int, anchor: Int) {
    append(Note(slot: UInt16(base.counter + counter), content: .mixed, event: UInt32(anchor)))
  }

  /// Says that the outline depends on times other than by comparing them with the query's clock and span: other groups with the same events
  /// may count for something else.
  public mutating func noteDependsOnTimes() { dependsOnTimes = true }

  private mutating func append(_ note: Note) {
    notes.append(note)
    parts[parts.count - 1].noteEnd += 1
  }

  /// Sets the meanings of codes.
  package mutating func setEntries(_ entries: [EventClassTable.Entry]) { self.entries = entries }

  /// Returns what tells an event apart from others of its kind, or nil if no projector of the fold asks for it.
  public func detail(of event: FlowEvent) -> EventDetail? {
    let code = Int(event.code)
    return code < entries.count ? entries[code].detail : nil
  }

  /// Calls `body` with a view of the outline, which is what is counted.
  @inline(__always)
  package func withView<Result>(_ body: (ContributionView) -> Result) -> Result {
    parts.withUnsafeBufferPointer { parts in
      counters.withUnsafeBufferPointer { counters in
        spans.withUnsafeBufferPointer { spans in
          stepEvents.withUnsafeBufferPointer { stepEvents in
            notes.withUnsafeBufferPointer {
              body(
                ContributionView(
                  parts: parts, counters: counters, spans: spans, notes: $0, stepEvents: stepEvents, constants: constants))
            }
          }
        }
      }
    }
  }
}
