/// An outline that lies somewhere in memory, borrowed.
struct OutlineView {
  let parts: UnsafeBufferPointer<Outline.Part>
  let counters: UnsafeBufferPointer<Outline.Counter>
  let spans: UnsafeBufferPointer<Outline.Span>
  /// Empty unless segments depend on the matches of steps.
  let stepEvents: UnsafeBufferPointer<UInt32>
}

/// A group that is being counted, and where its counts go.
protocol OutlineSink {
  /// When an event happened.
  func milliseconds(at event: Int) -> Int64
  /// The sheet of the segment a group falls into by an event and by the matches of steps, or nil if a condition of the query does not hold.
  mutating func sheet(at event: Int, stepEvents: UnsafeBufferPointer<UInt32>) -> Int?
  /// Raises a counter.
  mutating func add(_ amount: Int, to counter: Int, in sheet: Int)
  /// Takes a time.
  mutating func record(_ milliseconds: Int64, of duration: Int, in sheet: Int)
}

extension OutlineView {
  /// Counts a group that has this outline.
  @inline(__always)
  func count(by clock: WindowClock, into sink: inout some OutlineSink) {
    for part in parts {
      let isOpen = clock.isOpen(from: sink.milliseconds(at: Int(part.event)))
      if isOpen, clock.countsClosedOnly { continue }
      guard let sheet = sink.sheet(at: Int(part.event), stepEvents: stepEvents) else { continue }
      forEachCounter(of: part, isOpen: isOpen) { sink.add(1, to: $0, in: sheet) }
      for index in Int(part.spanStart)..<Int(part.spanEnd) {
        let span = spans[index]
        if isOpen, span.onlyIfClosed { continue }
        let time = sink.milliseconds(at: Int(span.to)) - sink.milliseconds(at: Int(span.from))
        sink.record(time, of: Int(span.duration), in: sheet)
      }
    }
  }

  /// The counters that go up for a group that has this outline, with its windows closed; one may come more than once.
  func forEachClosedCounter(_ body: (Int) -> Void) {
    for part in parts { forEachCounter(of: part, isOpen: false, body) }
  }

  @inline(__always)
  private func forEachCounter(of part: Outline.Part, isOpen: Bool, _ body: (Int) -> Void) {
    for index in Int(part.counterStart)..<Int(part.counterEnd) where counters[index].counts(isOpen: isOpen) {
      body(Int(counters[index].number))
    }
  }
}
