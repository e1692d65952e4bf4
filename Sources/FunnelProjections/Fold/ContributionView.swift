package import FunnelModel

/// A view of a contribution whose memory a ``Contribution`` or a ``ContributionCache`` owns.
package struct ContributionView {
  /// The sections.
  let parts: UnsafeBufferPointer<Contribution.Part>
  let counters: UnsafeBufferPointer<Contribution.Counter>
  let spans: UnsafeBufferPointer<Contribution.Span>
  let notes: UnsafeBufferPointer<Contribution.Note>
  /// The events that provide the values of steps (``Contribution/stepEvents``). Empty in a cached contribution.
  let stepEvents: UnsafeBufferPointer<UInt32>
  /// The values that samples refer to by index. Empty in a cached contribution.
  let constants: [[PropertyValue]]
}

/// A group with the times of its events, and the destination of its contribution.
package protocol ContributionSink {
  /// Returns the time of an event, in milliseconds since the epoch.
  func milliseconds(at event: Int) -> Int64
  /// Returns the number of the group's segment, or `nil` if a condition of the query does not hold.
  ///
  /// - Parameters:
  ///   - event: The index of the event that selects the segment.
  ///   - stepEvents: The events that provide the values of steps.
  mutating func segmentNumber(at event: Int, stepEvents: UnsafeBufferPointer<UInt32>) -> Int?
  /// Adds to a counter.
  mutating func add(_ amount: Int, to counter: Int, in segment: Int)
  /// Records a duration.
  mutating func record(_ milliseconds: Int64, of duration: Int, in segment: Int)
  /// Collects a sample, except one of constant values.
  mutating func take(_ note: Contribution.Note, in segment: Int)
  /// Adds constant values to value counts.
  mutating func count(_ values: [PropertyValue], in slot: Int, of segment: Int)
}

extension ContributionView {
  /// Adds the contribution of a group to a sink.
  ///
  /// - Parameter clock: The clock that decides whether the group's windows are closed.
  @inline(__always)
  package func count(by clock: WindowClock, into sink: inout some ContributionSink) {
    for part in parts {
      var isOpen = clock.isOpen(from: sink.milliseconds(at: Int(part.event)))
      if isOpen, clock.countsClosedOnly { continue }
      if part.opening != part.event { isOpen = clock.isOpen(from: sink.milliseconds(at: Int(part.opening))) }
      let segment = part.isUnconditional ? 0 : sink.segmentNumber(at: Int(part.event), stepEvents: stepEvents)
      guard let segment else { continue }
      forEachCounter(of: part, isOpen: isOpen) { sink.add(1, to: $0, in: segment) }
      for index in Int(part.spanStart)..<Int(part.spanEnd) {
        let span = spans[index]
        if isOpen, span.onlyIfClosed { continue }
        let time = sink.milliseconds(at: Int(span.to)) - sink.milliseconds(at: Int(span.from))
        sink.record(time, of: Int(span.duration), in: segment)
      }
      for index in Int(part.noteStart)..<Int(part.noteEnd) {
        let note = notes[index]
        if note.content == .constant {
          sink.count(constants[Int(note.event)], in: Int(note.slot), of: segment)
        } else {
          sink.take(note, in: segment)
        }
      }
    }
  }

  /// Calls `body` with the ID of each counter that a group with closed windows increments. An ID may occur several times.
  func forEachClosedCounter(_ body: (Int) -> Void) {
    for part in parts { forEachCounter(of: part, isOpen: false, body) }
  }

  @inline(__always)
  private func forEachCounter(of part: Contribution.Part, isOpen: Bool, _ body: (Int) -> Void) {
    for index in Int(part.counterStart)..<Int(part.counterEnd) where counters[index].counts(isOpen: isOpen) {
      body(Int(counters[index].number))
    }
  }
}
