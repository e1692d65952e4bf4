extension Contribution {
  /// A section: counters, intervals and samples that are added to the same segment, under the same conversion window.
  ///
  /// Each of the three begins where that of the previous section ends.
  @usableFromInline
  struct Section: Hashable, BitwiseCopyable, Sendable {
    /// The index of the event that selects the segment: the group's anchor, or its first pre-prompt. If the query
    /// counts only groups with closed windows, the section is skipped unless the window that opens with this event is
    /// closed.
    @usableFromInline let event: UInt32
    /// The index of the event that opens the window of conditional counters.
    @usableFromInline let opening: UInt32
    /// The index after the section's last counter.
    @usableFromInline var counterEnd: UInt32
    /// The index after the section's last interval.
    @usableFromInline var intervalEnd: UInt32
    /// The index after the section's last sample.
    @usableFromInline var sampleEnd: UInt32
    /// Whether the section is added to the segment without values, regardless of the query's conditions.
    @usableFromInline let isUnconditional: Bool

    @inlinable
    init(
      event: UInt32, opening: UInt32, counterEnd: UInt32, intervalEnd: UInt32, sampleEnd: UInt32, isUnconditional: Bool
    ) {
      self.event = event
      self.opening = opening
      self.counterEnd = counterEnd
      self.intervalEnd = intervalEnd
      self.sampleEnd = sampleEnd
      self.isUnconditional = isUnconditional
    }
  }

  /// The state of the conversion window in which a counter is incremented.
  package enum Condition: UInt8, BitwiseCopyable, Sendable {
    case always, ifClosed, ifOpen
  }

  /// A counter to increment by one.
  @usableFromInline
  struct Counter: Hashable, BitwiseCopyable, Sendable {
    /// The counter ID.
    @usableFromInline let id: UInt16
    @usableFromInline let condition: Condition

    @inlinable
    init(id: UInt16, condition: Condition) {
      self.id = id
      self.condition = condition
    }

    /// Returns whether the counter is incremented for a group whose window is open or closed.
    @inline(__always)
    func counts(isOpen: Bool) -> Bool { condition == .always || (condition == .ifOpen) == isOpen }
  }

  /// An interval: the time between two events, to be recorded as a duration.
  @usableFromInline
  struct Interval: Hashable, BitwiseCopyable, Sendable {
    /// The indices of the first and the last event in the group.
    @usableFromInline let from: UInt32
    @usableFromInline let to: UInt32
    /// The duration ID.
    @usableFromInline let duration: UInt16
    /// Whether the duration is recorded only if the window is closed.
    @usableFromInline let onlyIfClosed: Bool

    @inlinable
    init(from: UInt32, to: UInt32, duration: UInt16, onlyIfClosed: Bool) {
      self.from = from
      self.to = to
      self.duration = duration
      self.onlyIfClosed = onlyIfClosed
    }
  }

  /// Data of the group to collect that is not a counter or an interval, such as property values or the subject. Events
  /// are given by index.
  package enum Sample: Hashable, BitwiseCopyable, Sendable {
    /// The values of an event for the keys of value counts.
    case values(of: UInt32, to: UInt16)
    /// Like ``values(of:to:)``, but a key that the event lacks has the value of the last earlier event of the group that has it.
    case valuesSoFar(of: UInt32, to: UInt16)
    /// Values that do not depend on an event, for value counts: those at an index of ``Contribution/constants``.
    case constant(UInt32, to: UInt16)
    /// All properties of an event, for property counts.
    case properties(of: UInt32, to: UInt16)
    /// The subject, for examples.
    case example(to: UInt16)
    /// The keys of the query that an anchor lacks, for the counters that start at an ID (``KeyCoverageCounter``).
    case coverage(anchor: UInt32, to: UInt16, isCompleted: Bool)
    /// An event that provides the values of a step, given by its index in the flow, for the next sample of coverage.
    case stepOfCoverage(UInt16, event: UInt32)
    /// The values of an event, for cross counts.
    case crossing(of: UInt32, to: UInt16, isSuccess: Bool)
    /// A counter to increment if the events from an anchor on have several values of a key of the query.
    case mixed(anchor: UInt32, to: UInt16)
  }
}
