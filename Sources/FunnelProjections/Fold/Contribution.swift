package import FunnelSequences
package import FunnelModel

/// The contribution of one group to the aggregate of its flow version: counters to increment, durations to record, and
/// samples to collect.
///
/// A contribution refers to events by index, and has neither times nor the group's segment. So groups with the same
/// sequence of event classes have the same contribution, which is cached (``ContributionCache``), unless time limits
/// affect them differently (``FoldWorker``).
package struct Contribution: Sendable {
  /// A section: counters, intervals and samples that are added to the same segment, under the same conversion window.
  struct Part: Sendable {
    /// The index of the event that selects the segment: the group's anchor, or its first pre-prompt. If the query
    /// counts only groups with closed windows, the section is skipped unless the window that opens with this event is
    /// closed.
    var event: UInt32
    /// The index of the event that opens the window of conditional counters.
    var opening: UInt32
    /// The range of the section's counters in ``Contribution/counters``.
    var counterStart: UInt32
    var counterEnd: UInt32
    /// The range of the section's intervals in ``Contribution/spans``.
    var spanStart: UInt32
    var spanEnd: UInt32
    /// The range of the section's samples in ``Contribution/notes``.
    var noteStart: UInt32
    var noteEnd: UInt32
    /// Whether the section is added to the segment without values, regardless of the query's conditions.
    var isUnconditional: Bool
  }

  /// The state of the conversion window in which a counter is incremented.
  package enum Condition: UInt8, Sendable {
    case always, ifClosed, ifOpen
  }

  /// A counter to increment by one.
  struct Counter: Sendable {
    /// The counter ID.
    let number: UInt16
    let condition: Condition

    /// Returns whether the counter is incremented for a group whose window is open or closed.
    @inline(__always)
    func counts(isOpen: Bool) -> Bool { condition == .always || (condition == .ifOpen) == isOpen }
  }

  /// An interval: the time between two events, to be recorded as a duration.
  struct Span: Sendable {
    /// The indices of the first and the last event in the group.
    var from: UInt32
    var to: UInt32
    /// The duration ID.
    var duration: UInt16
    /// Whether the duration is recorded only if the window is closed.
    var onlyIfClosed: Bool
  }

  /// A sample: data of the group to collect that is not a counter or an interval, such as property values or the subject.
  package struct Note: Sendable {
    /// The data to collect, with the meanings of ``Note/slot`` and ``Note/event``.
    package enum Content: UInt8, Sendable {
      /// The values of an event for the keys of value counts. The slot is the value counts ID.
      case values
      /// Like ``values``, but a key that the event lacks has the value of the last earlier event of the group that has it.
      case valuesSoFar
      /// All properties of an event, counted individually. The slot is the property counts ID.
      case properties
      /// The subject. The slot is the ID of the examples.
      case example
      /// Constant values. The slot is the value counts ID, and the event is an index into ``Contribution/constants``.
      case constant
      /// An event that provides the values of a step, for the next sample of coverage. The slot is the index of the step.
      case coverageOfStep
      /// The keys of the query that an anchor lacks (``KeyCoverageCounter``). The slot is the first counter ID.
      case coverage
      /// Like ``coverage``, of a group that completed the flow.
      case coverageOfCompleted
      /// Whether the events from an anchor on have several values of a key of the query. The slot is the ID of the
      /// counter to increment.
      case mixed
    }

    /// An ID or index, depending on the content.
    package let slot: UInt16
    package let content: Content
    /// The index of an event in the group, or of a constant. 0 for an example.
    package let event: UInt32
  }

  /// The value of ``stepEvents`` for no event.
  package static let none = UInt32.max

  /// The first IDs of the projector that is adding to the contribution.
  var base = SlotBase()
  private(set) var parts: [Part] = []
  private(set) var counters: [Counter] = []
  private(set) var spans: [Span] = []
  private(set) var notes: [Note] = []
  private(set) var constants: [[PropertyValue]] = []
  /// Whether groups with the same event classes may have other contributions, so this one must not be cached.
  package private(set) var dependsOnTimes = false
  /// The entries of the source's `EventClassTable`, by event class ID.
  private(set) var entries: [EventClassTable.Entry] = []
  /// The indices in the group of the events that break a rule about all groups of their subject (``SubjectRule``).
  package var eventsAgainstOtherGroups: Set<Int> = []
  /// The indices of the events that provide the values of steps: for each of ``SegmentQuery/steps`` its match and its first
  /// completion, or ``none``.
  var stepEvents: [UInt32] = []

  /// Creates an empty contribution.
  package init() {}

  /// Removes all sections and samples of the previous group, but keeps the storage.
  mutating func removeAll() {
    parts.removeAll(keepingCapacity: true)
    counters.removeAll(keepingCapacity: true)
    spans.removeAll(keepingCapacity: true)
    notes.removeAll(keepingCapacity: true)
    constants.removeAll()
    dependsOnTimes = false
    stepEvents.removeAll(keepingCapacity: true)
  }

  /// Starts a section. Whatever is added next belongs to it.
  ///
  /// - Parameters:
  ///   - event: The index of the event that selects the segment.
  ///   - opening: The index of the event that opens the window of conditional counters. The default is `event`.
  ///   - isUnconditional: Whether the section is added to the segment without values, regardless of the query's conditions.
  package mutating func beginSection(at event: Int, opening: Int? = nil, isUnconditional: Bool = false) {
    let counter = UInt32(counters.count)
    let span = UInt32(spans.count)
    let note = UInt32(notes.count)
    parts.append(
      Part(
        event: UInt32(event), opening: UInt32(opening ?? event), counterStart: counter, counterEnd: counter, spanStart: span,
        spanEnd: span, noteStart: note, noteEnd: note, isUnconditional: isUnconditional))
  }

  /// Adds a counter to increment by one. Requires a section.
  ///
  /// - Parameters:
  ///   - counter: The counter ID of the projector, from 0.
  ///   - condition: The state of the window in which the counter is incremented.
  package mutating func count(_ counter: Int, _ condition: Condition = .always) {
    counters.append(Counter(number: UInt16(base.counter + counter), condition: condition))
    parts[parts.count - 1].counterEnd += 1
  }

  /// Adds an interval between two events, given by index. Requires a section.
  ///
  /// - Parameters:
  ///   - duration: The duration ID of the projector, from 0.
  ///   - onlyIfClosed: Whether the duration is recorded only if the window is closed.
  package mutating func time(_ duration: Int, from: Int, to: Int, onlyIfClosed: Bool = false) {
    spans.append(
      Span(from: UInt32(from), to: UInt32(to), duration: UInt16(base.duration + duration), onlyIfClosed: onlyIfClosed))
    parts[parts.count - 1].spanEnd += 1
  }

  /// Adds the values of an event for the keys of value counts (``Projector/valueKeys``). Requires a section.
  ///
  /// - Parameters:
  ///   - slot: The value counts ID of the projector, from 0.
  ///   - event: The index of the event.
  ///   - soFar: Whether a key that the event lacks has the value of the last earlier event of the group that has it.
  package mutating func noteValues(_ slot: Int, of event: Int, soFar: Bool = false) {
    append(Note(slot: UInt16(base.values + slot), content: soFar ? .valuesSoFar : .values, event: UInt32(event)))
  }

  /// Adds constant values to value counts. Requires a section. The contribution is then not cached.
  package mutating func noteValues(_ slot: Int, _ values: [PropertyValue]) {
    dependsOnTimes = true
    append(Note(slot: UInt16(base.values + slot), content: .constant, event: UInt32(constants.count)))
    constants.append(values)
  }

  /// Adds all properties of an event to property counts. Requires a section.
  package mutating func noteProperties(_ slot: Int, of event: Int) {
    append(Note(slot: UInt16(base.properties + slot), content: .properties, event: UInt32(event)))
  }

  /// Adds the subject to examples. Requires a section.
  package mutating func noteExample(_ slot: Int) {
    append(Note(slot: UInt16(base.example + slot), content: .example, event: 0))
  }

  /// Adds an event that provides the values of a step to the next sample of coverage. Requires a section.
  mutating func noteCoverage(ofStep step: Int, event: Int) {
    append(Note(slot: UInt16(step), content: .coverageOfStep, event: UInt32(event)))
  }

  /// Adds the keys of the query that an anchor lacks to counters (``KeyCoverageCounterIDs``). Requires a section.
  ///
  /// - Parameters:
  ///   - counter: The counter ID of the projector at which the counters start.
  ///   - anchor: The index of the anchor.
  ///   - isCompleted: Whether the group completed the flow.
  package mutating func noteCoverage(_ counter: Int, anchor: Int, isCompleted: Bool) {
    append(
      Note(
        slot: UInt16(base.counter + counter), content: isCompleted ? .coverageOfCompleted : .coverage, event: UInt32(anchor)))
  }

  /// Increments a counter if the events from an anchor on, within the window, have several values of the key that
  /// groups are split by.
  ///
  /// Requires a section.
  mutating func noteMixed(_ counter: Int, anchor: Int) {
    append(Note(slot: UInt16(base.counter + counter), content: .mixed, event: UInt32(anchor)))
  }

  /// Prevents caching, because groups with the same event classes may have other contributions.
  ///
  /// Call it if the contribution depends on times other than by comparing them with ``FlowQuery/clock`` and ``FlowQuery/span``.
  package mutating func noteDependsOnTimes() { dependsOnTimes = true }

  private mutating func append(_ note: Note) {
    notes.append(note)
    parts[parts.count - 1].noteEnd += 1
  }

  /// Sets the entries of the source's `EventClassTable`.
  package mutating func setEntries(_ entries: [EventClassTable.Entry]) { self.entries = entries }

  /// Returns the detail of an event, or `nil` unless a projector needs details (``EventNeeds/details``).
  package func detail(of event: FlowEvent) -> EventDetail? {
    let classID = Int(event.code)
    return classID < entries.count ? entries[classID].detail : nil
  }

  /// Calls `body` with a view of the contribution, which is valid only during the call.
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
