package import FunnelModel

/// The contribution of one group to the aggregate of its flow version: counters to increment, durations to record, and
/// samples to collect.
///
/// A contribution refers to events by index, and has neither times nor the group's segment. So groups with the same
/// sequence of event classes have the same contribution, which is cached (``ContributionCache``), unless time limits
/// affect them differently (``FoldWorker``). It is a list of sections:
///
///     contribution.beginSection(at: chain.anchor)
///     contribution.count(entered)
///     contribution.time(untilEnd, from: chain.anchor, to: end)
package struct Contribution: Sendable {
  /// The first IDs of the projector that is adding to the contribution.
  @usableFromInline var base = FirstIDs()
  @usableFromInline var sections: [Section] = []
  @usableFromInline var counters: [Counter] = []
  @usableFromInline var intervals: [Interval] = []
  private(set) var samples: [Sample] = []
  /// The values that samples refer to by index (``Sample/constant(_:to:)``).
  private(set) var constants: [[PropertyValue]] = []
  /// The events that provide the values of each of ``SegmentQuery/steps``, or `nil` for a step that is not matched.
  var stepEvents: [StepEvents?] = []
  /// Whether groups with the same event classes may have other contributions, so this one must not be cached.
  private(set) var dependsOnTimes = false

  /// Creates an empty contribution.
  package init() {}

  /// Removes all sections of the previous group, but keeps the storage.
  mutating func removeAll() {
    sections.removeAll(keepingCapacity: true)
    counters.removeAll(keepingCapacity: true)
    intervals.removeAll(keepingCapacity: true)
    samples.removeAll(keepingCapacity: true)
    constants.removeAll()
    stepEvents.removeAll(keepingCapacity: true)
    dependsOnTimes = false
  }

  /// Prevents caching, and returns the permission to read the times of the group's events.
  @_lifetime(immortal)
  package mutating func accessTimes() -> TimeAccess {
    dependsOnTimes = true
    return TimeAccess()
  }

  /// Prevents caching of a contribution whose chain depends on the times between its matches.
  mutating func noteDependsOnTimes() { dependsOnTimes = true }

  /// Starts a section, to which everything belongs that is added next.
  ///
  /// - Parameters:
  ///   - event: The index of the event that selects the segment.
  ///   - opening: The index of the event that opens the window of conditional counters. The default is `event`.
  ///   - isUnconditional: Whether the section is added to the segment without values, regardless of the query's conditions.
  @inlinable
  package mutating func beginSection(at event: Int, opening: Int? = nil, isUnconditional: Bool = false) {
    sections.append(
      Section(
        event: UInt32(event), opening: UInt32(opening ?? event), counterEnd: UInt32(counters.count),
        intervalEnd: UInt32(intervals.count), sampleEnd: UInt32(sampleCount), isUnconditional: isUnconditional))
  }

  /// Adds a counter to increment by one. Requires a section.
  ///
  /// - Parameters:
  ///   - counter: The counter ID of the projector, from 0.
  ///   - condition: The state of the window in which the counter is incremented.
  @inlinable
  package mutating func count(_ counter: Int, _ condition: Condition = .always) {
    counters.append(Counter(id: UInt16(base.counter + counter), condition: condition))
    sections[sections.count - 1].counterEnd += 1
  }

  /// Adds an interval between two events, given by index. Requires a section.
  ///
  /// - Parameters:
  ///   - duration: The duration ID of the projector, from 0.
  ///   - onlyIfClosed: Whether the duration is recorded only if the window is closed.
  @inlinable
  package mutating func time(_ duration: Int, from: Int, to: Int, onlyIfClosed: Bool = false) {
    intervals.append(
      Interval(from: UInt32(from), to: UInt32(to), duration: UInt16(base.duration + duration), onlyIfClosed: onlyIfClosed))
    sections[sections.count - 1].intervalEnd += 1
  }

  /// The number of samples.
  @usableFromInline var sampleCount: Int { samples.count }

  private mutating func append(_ sample: Sample) {
    samples.append(sample)
    sections[sections.count - 1].sampleEnd += 1
  }
}

extension Contribution {
  /// Adds the values of an event for the keys of value counts (``Projector/valueKeys``). Requires a section.
  ///
  /// - Parameters:
  ///   - id: The value counts ID of the projector, from 0.
  ///   - event: The index of the event.
  ///   - soFar: Whether a key that the event lacks has the value of the last earlier event of the group that has it.
  package mutating func noteValues(_ id: Int, of event: Int, soFar: Bool = false) {
    let id = UInt16(base.values + id)
    append(soFar ? .valuesSoFar(of: UInt32(event), to: id) : .values(of: UInt32(event), to: id))
  }

  /// Adds constant values to value counts. Requires a section. The contribution is then not cached.
  package mutating func noteValues(_ id: Int, _ values: [PropertyValue]) {
    // A cache entry has no room for the values.
    dependsOnTimes = true
    append(.constant(UInt32(constants.count), to: UInt16(base.values + id)))
    constants.append(values)
  }

  /// Adds all properties of an event to property counts. Requires a section.
  package mutating func noteProperties(_ id: Int, of event: Int) {
    append(.properties(of: UInt32(event), to: UInt16(base.properties + id)))
  }

  /// Adds the subject to examples. Requires a section.
  package mutating func noteExample(_ id: Int) { append(.example(to: UInt16(base.example + id))) }

  /// Adds the values of an event to cross counts (``Projector/crossings``). Requires a section.
  ///
  /// - Parameters:
  ///   - id: The cross counts ID of the projector, from 0.
  ///   - event: The index of the event, whose window is that of later values.
  ///   - isSuccess: Whether the group is counted as a success.
  package mutating func noteCrossing(_ id: Int, of event: Int, isSuccess: Bool) {
    append(.crossing(of: UInt32(event), to: UInt16(base.crossing + id), isSuccess: isSuccess))
  }

  /// Adds the keys of the query that an anchor lacks to counters (``KeyCoverageCounterIDs``). Requires a section.
  ///
  /// - Parameters:
  ///   - counter: The counter ID of the projector at which the counters start.
  ///   - anchor: The index of the anchor.
  ///   - isCompleted: Whether the group completed the flow.
  package mutating func noteCoverage(_ counter: Int, anchor: Int, isCompleted: Bool) {
    append(.coverage(anchor: UInt32(anchor), to: UInt16(base.counter + counter), isCompleted: isCompleted))
  }

  /// Adds an event that provides the values of a step to the next sample of coverage. Requires a section.
  mutating func noteCoverage(ofStep step: Int, event: Int) {
    append(.stepOfCoverage(UInt16(step), event: UInt32(event)))
  }

  /// Increments a counter if the events from an anchor on, within the window, have several values of the key that
  /// groups are split by.
  ///
  /// Requires a section.
  mutating func noteMixed(_ counter: Int, anchor: Int) {
    append(.mixed(anchor: UInt32(anchor), to: UInt16(base.counter + counter)))
  }
}
