package import FunnelSequences
import FunnelModel

extension StepMatcher {
  /// Splits the events of a subject into entries (specification section 3, `--count-by entry`).
  ///
  /// An entry starts at an event that can be an anchor, unless another entry is open. It is open until its last
  /// required step is matched or its conversion window ends. The first entry also includes the events before its
  /// anchor, so it starts at index 0. Events without an anchor are one entry.
  ///
  /// - Parameters:
  ///   - starts: Replaced by the index of the first event of each entry, ascending, at least one.
  ///   - chain: Storage for matching, which the caller reuses. Its contents are undefined afterwards.
  /// - Precondition: The matcher is that of first anchors.
  package func findEntries(
    of events: UnsafeBufferPointer<FlowEvent>, into starts: inout [Int], chain: inout ChainMatch
  ) {
    precondition(!triesLaterAnchors, "an entry has one anchor, its first event that enters the first required step")
    starts.removeAll(keepingCapacity: true)
    let mask = anchorMask
    func nextStart(from index: Int) -> Int? { events[index...].firstIndex { $0.kind.stepMask & mask != 0 } }
    var start = nextStart(from: 0)
    while let begin = start {
      starts.append(starts.isEmpty ? 0 : begin)
      let remainder = UnsafeBufferPointer(rebasing: events[begin...])
      guard match(remainder, into: &chain), chain.matchedStepCount == requiredSteps.count else {
        let window = clock.window(from: events[begin].milliseconds)
        start = events[begin...].firstIndex { !window.contains($0.milliseconds) }.flatMap(nextStart)
        continue
      }
      start = nextStart(from: begin + chain[chain.matchedStepCount - 1] + 1)
    }
    if starts.isEmpty { starts.append(0) }
  }
}
