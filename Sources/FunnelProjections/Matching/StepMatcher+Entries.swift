public import FunnelHistories
import FunnelModel

extension StepMatcher {
  /// Finds where the entries of a group begin (specification section 3, `--count-by entry`).
  ///
  /// An entry begins at an event that could be an anchor while no entry is open. It is open until its last required step is matched or its
  /// window is over. The events before the first entry belong to it, so the first entry begins at 0. A group without any such event is one
  /// entry.
  ///
  /// - Parameters:
  ///   - starts: Filled with the index of the first event of each entry, ascending.
  ///   - chain: Storage for the chains, reused from group to group.
  /// - Precondition: The matcher is that of first anchors.
  public func findEntries(
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
      guard match(remainder, into: &chain), chain.level == requiredSteps.count else {
        let deadline = clock.deadline(from: events[begin].milliseconds)
        start = events[begin...].firstIndex { $0.milliseconds > deadline }.flatMap(nextStart)
        continue
      }
      start = nextStart(from: begin + chain[chain.level - 1] + 1)
    }
    if starts.isEmpty { starts.append(0) }
  }
}
