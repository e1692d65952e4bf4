package import FunnelModel

/// A borrowed view of an outline in memory.
package struct ContributionView {
  let parts: UnsafeBufferPointer<Contribution.Part>
  let counters: UnsafeBufferPointer<Contribution.Counter>
  let spans: UnsafeBufferPointer<Contribution.Span>
  let notes: UnsafeBufferPointer<Contribution.Note>
  /// Empty unless segments depend on the events of steps.
  let stepEvents: UnsafeBufferPointer<UInt32>
  /// The values that notes refer to by index.
  let constants: [[PropertyValue]]
}

/// A group that is being counted, and the destination of its counts.
package protocol ContributionSink {
  /// Returns the time of an event.
  func milliseconds(at event: Int) -> Int64
  /// Returns the number of the segment that an event and the events of steps select, or nil if a condition of the query does not hold.
  mutating func segmentNumber(at event: Int, stepEvents: UnsafeBufferPointer<UInt32>) -> Int?
  /// Raises a counter.
  mutating func add(_ amount: Int, to counter: Int, in segment: Int)
  /// Records a time.
  mutating func record(_ milliseconds: Int64, of duration: Int, in segment: Int)
  /// Takes a note, except one of constant values.
  mutating func take(_ note: Contribution.Note, in segment: Int)
  /// Counts values in a slot.
  mutating func count(_ values: [PropertyValue], in slot: Int, of segment: Int)
}

extension ContributionView {
  /// Counts a group that has this outline.
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

  /// Calls `body` for each counter raised by a group with this outline and closed windows; a counter may occur more than once.
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
