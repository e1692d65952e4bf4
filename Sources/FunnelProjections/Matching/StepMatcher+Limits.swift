import FunnelSequences
import FunnelModel

/// The result of matching: the matched step count of the best chain, and the event that ended it.
struct LimitedMatch {
  /// The matched step count, or 0 if there is no anchor.
  var matchedStepCount = 0
  /// The index of the excluded event that ended the chain, or `nil` if none did.
  var exclusion: Int?
}

extension StepMatcher {
  /// Matches steps in the order of the flow, in a flow with ``StepLimits``.
  ///
  /// - Parameters:
  ///   - isStrict: Whether no event that enters another required step may come between the matches.
  ///   - chain: Scratch memory for the index of the event up to which each required step has been searched.
  ///   - best: Filled with the matches of the best chain.
  /// - Returns: The matched step count of the best chain, which is the number of valid elements of `best`.
  func matchLimited(
    _ events: UnsafeBufferPointer<FlowEvent>, isStrict: Bool, chain: UnsafeMutableBufferPointer<Int>,
    best: UnsafeMutableBufferPointer<Int>
  ) -> LimitedMatch {
    // The matches of a later anchor never come earlier than those of an earlier anchor, as without limits: an event that
    // comes too soon after a match comes too soon after any later one. So no event is searched twice for a step.
    let stepCount = requiredMasks.count
    for step in 0..<stepCount { chain[step] = 0 }
    var exclusions = ExclusionSearch(limits.exclusions)
    var result = LimitedMatch()
    var anchor = nextAnchor(in: events, from: 0)
    while anchor < events.count {
      let window = clock.window(from: events[anchor].milliseconds)
      chain[0] = anchor
      var matchedStepCount = 1
      while matchedStepCount < stepCount {
        let previous = chain[matchedStepCount - 1]
        let (earliest, latest) = limits.range(at: matchedStepCount, after: events[previous].milliseconds, within: window)
        let mask = isStrict ? requiredMask : requiredMasks[matchedStepCount]
        var index = isStrict ? previous + 1 : max(chain[matchedStepCount], previous + 1)
        while index < events.count, events[index].milliseconds <= latest,
          events[index].kind.stepMask & mask == 0 || (!isStrict && events[index].milliseconds < earliest)
        { index += 1 }
        chain[matchedStepCount] = index
        guard index < events.count, events[index].milliseconds <= latest, events[index].milliseconds >= earliest,
          events[index].kind.stepMask & requiredMasks[matchedStepCount] != 0
        else { break }
        matchedStepCount += 1
      }
      let exclusion = exclusions.first(in: events, within: window) { $0 < matchedStepCount ? chain[$0] : nil }
      if let exclusion { while matchedStepCount > 0, chain[matchedStepCount - 1] >= exclusion { matchedStepCount -= 1 } }
      if matchedStepCount > result.matchedStepCount {
        result = LimitedMatch(matchedStepCount: matchedStepCount, exclusion: exclusion)
        for step in 0..<matchedStepCount { best[step] = chain[step] }
      }
      if !triesLaterAnchors || matchedStepCount == stepCount { break }
      anchor = nextAnchor(in: events, from: anchor + 1)
    }
    return result
  }

  /// Matches steps in any order, in a flow with exclusions.
  ///
  /// The matches of an anchor are the first entries of the steps from it on, up to the first event that an exclusion
  /// applies to.
  ///
  /// - Parameters:
  ///   - entries: Scratch memory for the index of the event up to which each required step has been searched.
  ///   - best: Filled with the first entry of each matched step, in the order of time.
  /// - Returns: The matched step count of the best anchor, which is the number of valid elements of `best`.
  func matchAnyLimited(
    _ events: UnsafeBufferPointer<FlowEvent>, entries: UnsafeMutableBufferPointer<Int>, best: UnsafeMutableBufferPointer<Int>
  ) -> LimitedMatch {
    // The first entries from a later anchor never come earlier, so no event is searched twice for a step.
    let stepCount = requiredMasks.count
    for step in 0..<stepCount { entries[step] = 0 }
    var exclusions = ExclusionSearch(limits.exclusions)
    var result = LimitedMatch()
    for anchor in events.indices where events[anchor].kind.stepMask & requiredMask != 0 {
      guard events[anchor].milliseconds <= span.last else { break }
      guard events[anchor].milliseconds >= span.first else { continue }
      let window = clock.window(from: events[anchor].milliseconds)
      for step in 0..<stepCount {
        entries[step] = max(entries[step], anchor)
        while entries[step] < events.count, window.contains(events[entries[step]].milliseconds),
          events[entries[step]].kind.stepMask & requiredMasks[step] == 0
        { entries[step] += 1 }
      }
      func entry(_ step: Int) -> Int? {
        let index = entries[step]
        return index < events.count && window.contains(events[index].milliseconds) ? index : nil
      }
      let exclusion = exclusions.first(in: events, within: window, match: entry)
      let matched = (0..<stepCount).compactMap(entry).filter { $0 < exclusion ?? events.count }.sorted()
      guard matched.count > result.matchedStepCount else { continue }
      result = LimitedMatch(matchedStepCount: matched.count, exclusion: exclusion)
      for (place, index) in matched.enumerated() { best[place] = index }
      if !triesLaterAnchors || matched.count == stepCount { break }
    }
    return result
  }
}

/// Searches for the excluded events that end chains.
///
/// The matches of each chain must not come earlier than those of the previous chain, because the search never moves back.
private struct ExclusionSearch {
  private let exclusions: [StepLimits.Exclusion]
  /// The index of the event up to which each exclusion has been searched.
  private var frontier: [Int]

  init(_ exclusions: [StepLimits.Exclusion]) {
    self.exclusions = exclusions
    frontier = Array(repeating: 0, count: exclusions.count)
  }

  /// Returns the index of the first event that ends a chain, or `nil` if there is none.
  ///
  /// - Parameter match: Returns the index of the match of a required step, or `nil` if the step is not matched.
  mutating func first(
    in events: UnsafeBufferPointer<FlowEvent>, within window: ConversionWindow, match: (Int) -> Int?
  ) -> Int? {
    var first: Int?
    for (number, exclusion) in exclusions.enumerated() {
      guard let after = match(exclusion.after) else { continue }
      let end = match(exclusion.before) ?? events.count
      var index = max(frontier[number], after + 1)
      while index < end, window.contains(events[index].milliseconds), events[index].kind.exclusions >> UInt8(number) & 1 == 0 {
        index += 1
      }
      frontier[number] = index
      guard index < end, window.contains(events[index].milliseconds) else { continue }
      first = min(first ?? index, index)
    }
    return first
  }
}
