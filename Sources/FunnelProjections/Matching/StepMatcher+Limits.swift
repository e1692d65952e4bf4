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
    _ events: Span<TimedEvent>, isStrict: Bool, chain: inout MutableSpan<Int>,
    best: inout MutableSpan<Int>
  ) -> LimitedMatch {
    // The matches of a later anchor never come earlier than those of an earlier anchor, as without limits: an event that
    // comes too soon after a match comes too soon after any later one. So no event is searched twice for a step.
    let stepCount = requiredMasks.count
    for step in 0..<stepCount { chain[step] = 0 }
    var exclusions = ExclusionSearch(limits.exclusions)
    // The match of each step, or `nil`.
    var matches: [Int?] = Array(repeating: nil, count: stepCount)
    var result = LimitedMatch()
    var anchor = nextAnchor(in: events, from: 0)
    while anchor < events.count {
      let window = clock.window(from: events[anchor].milliseconds)
      chain[0] = anchor
      var matchedStepCount = 1
      while matchedStepCount < stepCount {
        let previous = chain[matchedStepCount - 1]
        let (earliest, latest) = limits.range(ofStep: matchedStepCount, after: events[previous].milliseconds, within: window)
        let mask = isStrict ? requiredMask : requiredMasks[matchedStepCount]
        var index = isStrict ? previous + 1 : max(chain[matchedStepCount], previous + 1)
        while index < events.count {
          let event = events[index]
          if event.milliseconds > latest { break }
          if event.kind.stepMask & mask != 0, isStrict || event.milliseconds >= earliest { break }
          index += 1
        }
        chain[matchedStepCount] = index
        guard index < events.count else { break }
        let event = events[index]
        guard event.milliseconds <= latest, event.milliseconds >= earliest,
          event.kind.stepMask & requiredMasks[matchedStepCount] != 0
        else { break }
        matchedStepCount += 1
      }
      for step in 0..<stepCount { matches[step] = step < matchedStepCount ? chain[step] : nil }
      let exclusion = exclusions.first(in: events, within: window, matches: matches)
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
    _ events: Span<TimedEvent>, entries: inout MutableSpan<Int>, best: inout MutableSpan<Int>
  ) -> LimitedMatch {
    // The first entries from a later anchor never come earlier, so no event is searched twice for a step.
    let stepCount = requiredMasks.count
    for step in 0..<stepCount { entries[step] = 0 }
    var exclusions = ExclusionSearch(limits.exclusions)
    // The first entry of each step from the current anchor on and within its window, or `nil` if there is none.
    var matches: [Int?] = Array(repeating: nil, count: stepCount)
    var result = LimitedMatch()
    for anchor in events.indices where events[anchor].kind.stepMask & requiredMask != 0 {
      guard events[anchor].milliseconds <= searchPeriod.last else { break }
      guard events[anchor].milliseconds >= searchPeriod.first else { continue }
      let window = clock.window(from: events[anchor].milliseconds)
      for step in 0..<stepCount {
        var index = max(entries[step], anchor)
        matches[step] = nil
        while index < events.count {
          let event = events[index]
          guard window.contains(event.milliseconds) else { break }
          if event.kind.stepMask & requiredMasks[step] != 0 {
            matches[step] = index
            break
          }
          index += 1
        }
        entries[step] = index
      }
      let exclusion = exclusions.first(in: events, within: window, matches: matches)
      let end = exclusion ?? events.count
      let matched = matches.compactMap(\.self).filter { $0 < end }.sorted()
      guard matched.count > result.matchedStepCount else { continue }
      result = LimitedMatch(matchedStepCount: matched.count, exclusion: exclusion)
      for (step, event) in matched.enumerated() { best[step] = event }
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
  /// - Parameter matches: The index of the match of each required step, or `nil` if the step is not matched.
  mutating func first(
    in events: Span<TimedEvent>, within window: ConversionWindow, matches: [Int?]
  ) -> Int? {
    var first: Int?
    for (number, exclusion) in exclusions.enumerated() {
      guard let after = matches[exclusion.after] else { continue }
      let end = matches[exclusion.before] ?? events.count
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
