package import FunnelModel

/// A view of a contribution whose memory a ``Contribution`` or a ``ContributionCache`` owns.
struct ContributionView: ~Escapable {
  let sections: Span<Contribution.Section>
  let counters: Span<Contribution.Counter>
  let intervals: Span<Contribution.Interval>
  let samples: Span<Contribution.Sample>
  /// The events that provide the values of steps (``Contribution/stepEvents``). Empty in a cached contribution.
  let stepEvents: Span<StepEvents?>
  /// The values that samples refer to by index. Empty in a cached contribution.
  let constants: Span<[PropertyValue]>

  @_lifetime(copy sections, copy counters, copy intervals, copy samples, copy stepEvents, copy constants)
  init(
    sections: Span<Contribution.Section>, counters: Span<Contribution.Counter>, intervals: Span<Contribution.Interval>,
    samples: Span<Contribution.Sample>, stepEvents: Span<StepEvents?>, constants: Span<[PropertyValue]>
  ) {
    self.sections = sections
    self.counters = counters
    self.intervals = intervals
    self.samples = samples
    self.stepEvents = stepEvents
    self.constants = constants
  }
}

extension Contribution {
  /// A view of the contribution.
  var view: ContributionView {
    @_lifetime(borrow self)
    get {
      ContributionView(
        sections: sections.span, counters: counters.span, intervals: intervals.span, samples: samples.span,
        stepEvents: stepEvents.span, constants: constants.span)
    }
  }
}

extension Contribution {
  /// Adds the contribution of a group to a sink (``ContributionView/add(_:by:to:)``).
  @inline(__always)
  package func add<Sink: ContributionSink & ~Copyable>(_ group: Sink.Group, by clock: WindowClock, to sink: inout Sink) {
    view.add(group, by: clock, to: &sink)
  }

  /// Returns whether the contribution of a group is selected (``ContributionView/isSelected(by:_:by:in:)``).
  func isSelected<Sink: ContributionSink & ~Copyable>(
    by roles: [CounterRole], _ group: Sink.Group, by clock: WindowClock, in sink: inout Sink
  ) -> Bool {
    view.isSelected(by: roles, group, by: clock, in: &sink)
  }
}

/// The destination of contributions.
package protocol ContributionSink: ~Copyable {
  /// A group whose contribution is added.
  associatedtype Group

  /// Returns the time of an event, in milliseconds since the epoch.
  func milliseconds(at event: Int, of group: Group) -> Int64
  /// Returns the number of the group's segment, or `nil` if a condition of the query does not hold.
  ///
  /// - Parameters:
  ///   - event: The index of the event that selects the segment.
  ///   - stepEvents: The events that provide the values of steps.
  mutating func segmentNumber(of group: Group, at event: Int, stepEvents: Span<StepEvents?>) -> Int?
  /// Adds to a counter.
  mutating func add(_ amount: Int, to counter: Int, in segment: Int)
  /// Records a duration.
  mutating func record(_ milliseconds: Int64, of duration: Int, in segment: Int)
  /// Collects a sample, except one of constant values.
  mutating func collect(_ sample: Contribution.Sample, of group: Group, in segment: Int)
  /// Adds constant values to value counts.
  mutating func count(_ values: [PropertyValue], in id: Int, of segment: Int)
}

extension ContributionView {
  /// Adds the contribution of a group to a sink.
  ///
  /// - Parameter clock: The clock that decides whether the group's windows are closed.
  @inline(__always)
  func add<Sink: ContributionSink & ~Copyable>(_ group: Sink.Group, by clock: WindowClock, to sink: inout Sink) {
    var counterStart = 0
    var intervalStart = 0
    var sampleStart = 0
    for index in sections.indices {
      let section = sections[index]
      defer {
        counterStart = Int(section.counterEnd)
        intervalStart = Int(section.intervalEnd)
        sampleStart = Int(section.sampleEnd)
      }
      guard let (segment, isOpen) = target(of: section, group, by: clock, in: &sink) else { continue }
      for index in counterStart..<Int(section.counterEnd) where counters[index].counts(isOpen: isOpen) {
        sink.add(1, to: Int(counters[index].id), in: segment)
      }
      for index in intervalStart..<Int(section.intervalEnd) where !(isOpen && intervals[index].onlyIfClosed) {
        let interval = intervals[index]
        let time =
          sink.milliseconds(at: Int(interval.to), of: group) - sink.milliseconds(at: Int(interval.from), of: group)
        sink.record(time, of: Int(interval.duration), in: segment)
      }
      for index in sampleStart..<Int(section.sampleEnd) {
        if case .constant(let constant, let id) = samples[index] {
          sink.count(constants[Int(constant)], in: Int(id), of: segment)
        } else {
          sink.collect(samples[index], of: group, in: segment)
        }
      }
    }
  }

  /// Returns the segment that a section is added to and whether its conditional counters have an open window, or `nil`
  /// if the section is not counted.
  @inline(__always)
  private func target<Sink: ContributionSink & ~Copyable>(
    of section: Contribution.Section, _ group: Sink.Group, by clock: WindowClock, in sink: inout Sink
  ) -> (segment: Int, isOpen: Bool)? {
    var isOpen = clock.isOpen(from: sink.milliseconds(at: Int(section.event), of: group))
    if isOpen, clock.countsClosedOnly { return nil }
    if section.opening != section.event {
      isOpen = clock.isOpen(from: sink.milliseconds(at: Int(section.opening), of: group))
    }
    guard !section.isUnconditional else { return (0, isOpen) }
    return sink.segmentNumber(of: group, at: Int(section.event), stepEvents: stepEvents).map { ($0, isOpen) }
  }

  /// Returns whether the contribution of a group increments a wanted counter and no unwanted one.
  func isSelected<Sink: ContributionSink & ~Copyable>(
    by roles: [CounterRole], _ group: Sink.Group, by clock: WindowClock, in sink: inout Sink
  ) -> Bool {
    var isWanted = false
    var start = 0
    for index in sections.indices {
      let section = sections[index]
      defer { start = Int(section.counterEnd) }
      guard let (_, isOpen) = target(of: section, group, by: clock, in: &sink) else { continue }
      for index in start..<Int(section.counterEnd) where counters[index].counts(isOpen: isOpen) {
        switch roles[Int(counters[index].id)] {
        case .indifferent: break
        case .wanted: isWanted = true
        case .unwanted: return false
        }
      }
    }
    return isWanted
  }

  /// Returns whether two contributions without events of steps and constants are equal.
  func isEqual(to other: ContributionView) -> Bool {
    Self.areEqual(sections, other.sections) && Self.areEqual(counters, other.counters)
      && Self.areEqual(intervals, other.intervals) && Self.areEqual(samples, other.samples)
  }

  private static func areEqual<Element: Equatable>(_ a: Span<Element>, _ b: Span<Element>) -> Bool {
    a.count == b.count && a.indices.allSatisfy { a[$0] == b[$0] }
  }
}
