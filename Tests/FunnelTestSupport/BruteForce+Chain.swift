import FunnelProjections
import FunnelSequences
import FunnelModel

extension BruteForce {
  /// The chain that counts for a group.
  struct Chain {
    let group: StoredSequence
    let anchor: Int
    let matches: [Int]
    let limit: Int64

    func milliseconds(_ index: Int) -> Int64 { group.events[index].milliseconds }
  }

  /// Returns the chain that counts: from the first anchor or, if the query says so, of the anchors in the period the one with the most
  /// matches; of several, the earliest.
  func chain(of group: StoredSequence) -> Chain? {
    let anchors = group.events.indices.filter { isAnchor(group.events[$0]) }
    switch query.anchor {
    case .first: return anchors.first.map { chain(of: group, from: $0) }
    case .best:
      let all = anchors.filter { isInRange(group.events[$0]) }.map { chain(of: group, from: $0) }
      let highest = all.map(\.matches.count).max()
      return all.first { $0.matches.count == highest }
    }
  }

  /// Returns the chain that would count for a group if the query were about all time.
  func chainOfAllTime(_ group: StoredSequence) -> Chain? {
    var query = query
    (query.since, query.until) = (nil, nil)
    return BruteForce(flow: flow, query: query, groups: groups).chain(of: group)
  }

  /// Returns the first completion of a step from its match up to the next match of a required step, within the window.
  func completion(of step: Int, from match: Int, along chain: Chain) -> Int? {
    chain.group.events.indices.first { index in
      index >= match && !chain.matches.contains { $0 > match && $0 <= index } && chain.milliseconds(index) <= chain.limit
        && completes(chain.group.events[index], step, in: chain.group)
    }
  }

  private func completes(_ event: TimedEvent, _ step: Int, in group: StoredSequence) -> Bool {
    guard let detail = group.detail(of: event) else { return false }
    return detail.name == "step_completed" && detail.step == flow.steps[step].id
  }

  /// Returns whether an event can be an anchor, whatever the period.
  private func isAnchor(_ event: TimedEvent) -> Bool {
    let steps = query.order == .any ? required : [required[0]]
    return steps.contains { enters(event, $0) }
  }

  /// Returns whether a group began before the period, and enters the first required step in it.
  func hasReturned(_ group: StoredSequence) -> Bool {
    guard let since = query.since, let chain = chain(of: group), chain.milliseconds(chain.anchor) < since.milliseconds else {
      return false
    }
    return group.events.contains { enters($0, required[0]) && isInRange($0) }
  }

  /// Cuts a group into its entries, by asking of each event whether one is open.
  package func entries(of group: StoredSequence) -> [StoredSequence] {
    var starts: [Int] = []
    var (end, deadline): (Int, Int64) = (-1, .min)
    for index in group.events.indices where isAnchor(group.events[index]) && index > end {
      if group.events[index].milliseconds <= deadline { continue }
      let chain = chain(of: group, from: index)
      starts.append(starts.isEmpty ? 0 : index)
      if chain.matches.count == required.count {
        (end, deadline) = (chain.matches.last ?? index, .min)
      } else {
        deadline = chain.limit
      }
    }
    let bounds = (starts.isEmpty ? [0] : starts) + [group.events.count]
    return zip(bounds, bounds.dropFirst()).map {
      StoredSequence(events: Array(group.events[$0..<$1]), segments: group.segments)
    }
  }

  private func chain(of group: StoredSequence, from anchor: Int) -> Chain {
    let limit = group.events[anchor].milliseconds + window
    let matches =
      switch query.order {
      case .ordered, .strict: orderedMatches(in: group.events, from: anchor, limit: limit)
      case .any: firstEntries(in: group.events, from: anchor, limit: limit)
      }
    return Chain(group: group, anchor: anchor, matches: matches, limit: limit)
  }

  private func orderedMatches(in events: [TimedEvent], from anchor: Int, limit: Int64) -> [Int] {
    var matches = [anchor]
    for step in required.dropFirst() {
      let next = events.indices.first { index in
        guard index > matches[matches.count - 1] else { return false }
        return query.order == .strict ? required.contains { enters(events[index], $0) } : enters(events[index], step)
      }
      guard let next, enters(events[next], step), events[next].milliseconds <= limit else { break }
      matches.append(next)
    }
    return matches
  }

  private func firstEntries(in events: [TimedEvent], from anchor: Int, limit: Int64) -> [Int] {
    required.compactMap { step in
      events.indices.first { $0 >= anchor && events[$0].milliseconds <= limit && enters(events[$0], step) }
    }.sorted()
  }

  /// Returns the index of the event that matched a step, or nil if no event did.
  func match(of step: Int, along chain: Chain) -> Int? {
    if let place = required.firstIndex(of: step) {
      if query.order != .any { return place < chain.matches.count ? chain.matches[place] : nil }
      return chain.group.events.indices.first {
        $0 >= chain.anchor && chain.milliseconds($0) <= chain.limit && enters(chain.group.events[$0], step)
      }
    }
    return query.order == .any ? nil : optionalEntry(of: step, along: chain)?.entry
  }

  /// Returns whether an outcome that ends a group comes at or after the anchor within the window.
  func hasEnded(_ chain: Chain) -> Bool {
    chain.group.events.indices.contains { index in
      index >= chain.anchor && chain.milliseconds(index) <= chain.limit
        && flow.outcomes.indices.contains { $0 == chain.group.events[index].kind.outcome && flow.outcomes[$0].isEnd }
    }
  }

  /// Returns the event by which a chain reached an optional step, and the match from which its time is measured: that of the
  /// required step before it, if there is one.
  func optionalEntry(of step: Int, along chain: Chain) -> (entry: Int, from: Int?)? {
    let before = required.lastIndex { $0 < step }
    if let before, before >= chain.matches.count { return nil }
    let from = before.map { chain.matches[$0] }
    let place = before.map { $0 + 1 } ?? 0
    let isLast = place == required.count - 1
    let behind = place < chain.matches.count && !isLast ? chain.matches[place] : nil
    let entry = chain.group.events.indices.first { index in
      (from.map { index > $0 } ?? true) && (behind.map { index <= $0 } ?? true) && chain.milliseconds(index) <= chain.limit
        && enters(chain.group.events[index], step)
    }
    return entry.map { ($0, from) }
  }
}
