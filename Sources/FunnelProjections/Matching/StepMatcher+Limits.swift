import FunnelHistories
import FunnelModel

/// A chain that is the best so far.
struct LimitedLevel {
  var level = 0
  /// The event that ended the chain; nil if none did.
  var exclusion: Int?
}

extension StepMatcher {
  /// Matches steps in order, or strictly, in a flow with ``StepLimits``.
  ///
  /// The matches of a later anchor never come earlier than those of an anchor before it, with limits too: an event that came too soon after
  /// a match comes too soon after any later one. So no position is searched twice, as without limits.
  ///
  /// - Returns: The level of the best chain. The first `level` elements of `best` are then its matches.
  func matchLimited(
    _ events: UnsafeBufferPointer<JourneyEvent>, isStrict: Bool, chain: UnsafeMutableBufferPointer<Int>,
    best: UnsafeMutableBufferPointer<Int>
  ) -> LimitedLevel {
    let stepCount = requiredMasks.count
    for step in 0..<stepCount { chain[step] = 0 }
    var exclusions = ExclusionSearch(limits.exclusions)
    var result = LimitedLevel()
    var anchor = nextAnchor(in: events, from: 0)
    while anchor < events.count {
      let deadline = clock.deadline(from: events[anchor].milliseconds)
      chain[0] = anchor
      var level = 1
      while level < stepCount {
        let previous = chain[level - 1]
        let (earliest, latest) = limits.range(at: level, after: events[previous].milliseconds, deadline: deadline)
        let mask = isStrict ? requiredMask : requiredMasks[level]
        var index = isStrict ? previous + 1 : max(chain[level], previous + 1)
        while index < events.count, events[index].milliseconds <= latest,
          events[index].kind.stepMask & mask == 0 || (!isStrict && events[index].milliseconds < earliest)
        { index += 1 }
        chain[level] = index
        guard index < events.count, events[index].milliseconds <= latest, events[index].milliseconds >= earliest,
          events[index].kind.stepMask & requiredMasks[level] != 0
        else { break }
        level += 1
      }
      let exclusion = exclusions.first(in: events, along: UnsafeBufferPointer(rebasing: chain[..<level]), deadline: deadline)
      if let exclusion { while level > 0, chain[level - 1] >= exclusion { level -= 1 } }
      if level > result.level {
        result = LimitedLevel(level: level, exclusion: exclusion)
        for step in 0..<level { best[step] = chain[step] }
      }
      if level == stepCount { break }
      anchor = nextAnchor(in: events, from: anchor + 1)
    }
    return result
  }

  /// Returns the event that ends a chain whose steps come in any order, and how many of its matches precede it.
  func excluded(
    _ events: UnsafeBufferPointer<JourneyEvent>, matches: UnsafeMutableBufferPointer<Int>, level: Int
  ) -> LimitedLevel {
    guard level > 0, !limits.exclusions.isEmpty else { return LimitedLevel(level: level) }
    let deadline = clock.deadline(from: events[matches[0]].milliseconds)
    var first: Int?
    for (number, exclusion) in limits.exclusions.enumerated() {
      func match(of place: Int) -> Int? { matches[..<level].first { events[$0].kind.stepMask & requiredMasks[place] != 0 } }
      guard let after = match(of: exclusion.after) else { continue }
      let end = min(match(of: exclusion.before) ?? events.count, first ?? events.count)
      var index = after + 1
      while index < end, events[index].milliseconds <= deadline, events[index].kind.exclusions >> UInt8(number) & 1 == 0 {
        index += 1
      }
      if index < end, events[index].milliseconds <= deadline { first = index }
    }
    guard let first else { return LimitedLevel(level: level) }
    return LimitedLevel(level: matches[..<level].count { $0 < first }, exclusion: first)
  }
}

/// Searches events that end a chain, for chains whose matches never come earlier than those of the chain before.
private struct ExclusionSearch {
  private let exclusions: [StepLimits.Exclusion]
  /// The position up to which each exclusion has been searched.
  private var frontier: [Int]

  init(_ exclusions: [StepLimits.Exclusion]) {
    self.exclusions = exclusions
    frontier = Array(repeating: 0, count: exclusions.count)
  }

  /// Returns the first event that ends a chain.
  mutating func first(
    in events: UnsafeBufferPointer<JourneyEvent>, along chain: UnsafeBufferPointer<Int>, deadline: Int64
  ) -> Int? {
    var first: Int?
    for (number, exclusion) in exclusions.enumerated() where chain.count > exclusion.after {
      var index = max(frontier[number], chain[exclusion.after] + 1)
      while index < events.count, events[index].kind.exclusions >> UInt8(number) & 1 == 0 { index += 1 }
      frontier[number] = index
      let end = chain.count > exclusion.before ? chain[exclusion.before] : events.count
      guard index < end, events[index].milliseconds <= deadline else { continue }
      first = min(first ?? index, index)
    }
    return first
  }
}
