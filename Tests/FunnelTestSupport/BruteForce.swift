import FunnelProjections
package import FunnelModel
package import FunnelSequences

/// The reports of specification section 3, implemented literally: every anchor is tried, every match is searched for from the
/// beginning, and every number is counted from the list of groups.
///
/// It shares no code with the projectors, so that it can check them. It is too slow for anything but tests.
package struct BruteForce {
  let flow: FlowDefinition
  let query: ReportQuery
  let groups: [StoredSequence]
  let window: Int64

  package init(flow: FlowDefinition, query: ReportQuery, groups: [StoredSequence]) {
    self.flow = flow
    self.query = query
    self.groups = groups
    window = (query.window ?? flow.window).milliseconds
  }

  var required: [Int] { flow.steps.indices.filter { !flow.steps[$0].isOptional } }

  func enters(_ event: TimedEvent, _ step: Int) -> Bool { (event.kind.stepMask >> UInt64(step)) % 2 == 1 }

  func isInRange(_ event: TimedEvent) -> Bool {
    if let since = query.since, event.milliseconds < since.milliseconds { return false }
    if let until = query.until, event.milliseconds >= until.milliseconds { return false }
    return true
  }

  /// Returns the values of `by` at an event, those of step dimensions at the events of their steps, or nil if a condition does
  /// not hold or the values are mixed and such groups are left out.
  func segment(of group: StoredSequence, at index: Int) -> Segment? {
    if query.dropsMixed, isMixed(group, from: index) { return nil }
    let chain = chain(of: group) ?? chainOfAllTime(group)
    func value(_ dimension: Dimension) -> PropertyValue {
      switch dimension {
      case .version: return .integer(Int64(flow.version))
      case .step(let id, _):
        guard let step = flow.steps.firstIndex(where: { $0.id == id }), let chain, let match = match(of: step, along: chain),
          let stored = dimension.stored
        else { return .null }
        let atMatch = self.value(of: stored, in: group, at: match)
        let completion = completion(of: step, from: match, along: chain)
        return atMatch == .null ? completion.map { self.value(of: stored, in: group, at: $0) } ?? .null : atMatch
      default:
        let own = self.value(of: dimension, in: group, at: index)
        guard own == .null, query.attribution == .known else { return own }
        let later = window(of: group, from: index).dropFirst().map { self.value(of: dimension, in: group, at: $0) }
        return later.first { $0 != .null } ?? .null
      }
    }
    guard query.conditions.allSatisfy({ $0.holds(for: value($0.dimension)) }) else { return nil }
    return Segment(values: query.by.map { isText($0) ? Self.text(of: value($0)) : Self.plain(value($0)) })
  }

  private func value(of dimension: Dimension, in group: StoredSequence, at index: Int) -> PropertyValue {
    group.value(of: dimension, at: group.events[index], in: query.timeZone)
  }

  /// Returns the events from one on within the window.
  private func window(of group: StoredSequence, from index: Int) -> [Int] {
    group.events.indices.filter {
      $0 >= index && group.events[$0].milliseconds <= group.events[index].milliseconds + window
    }
  }

  /// Returns whether the events from one on within the window have several values of a key that groups are split by.
  func isMixed(_ group: StoredSequence, from index: Int) -> Bool {
    query.by.prefix(1).filter { $0.stored == $0 }.contains { key in
      let values = window(of: group, from: index).map { value(of: key, in: group, at: $0) }
      let texts = values.filter { $0 != .null }.map { (isText(key) ? Self.text(of: $0) : Self.plain($0)).description }
      return Set(texts).count > 1
    }
  }

  /// Returns the numbers of groups in each segment, and of those with several values of a key that groups are split by.
  package func mixed() -> [Segment: [Int]] {
    var complete = query
    complete.dropsMixed = false
    let all = BruteForce(flow: flow, query: complete, groups: groups)
    var counts: [Segment: [Int]] = [:]
    for group in groups {
      guard let chain = all.chain(of: group), isInRange(group.events[chain.anchor]),
        !query.isMature || chain.limit <= query.now.milliseconds,
        let segment = all.segment(of: group, at: chain.anchor)
      else { continue }
      let isMixed = all.isMixed(group, from: chain.anchor)
      counts[segment, default: [0, 0]][0] += 1
      counts[segment, default: [0, 0]][1] += isMixed ? 1 : 0
    }
    return counts
  }

  /// Returns for each key that is asked for at the anchor the number of groups, of those that lack it there, and of those of them that
  /// have it later; of groups for which the conditions on other keys hold.
  package func coverage() -> [Dimension: [Int]] {
    let keys = (query.by + query.conditions.map(\.dimension)).filter { $0.stored == $0 }
    var counts: [Dimension: [Int]] = [:]
    for key in keys {
      var others = query
      others.by = []
      others.dropsMixed = false
      others.conditions.removeAll { if case .step = $0.dimension { true } else { $0.dimension == key } }
      let all = BruteForce(flow: flow, query: others, groups: groups)
      counts[key] = [0, 0, 0]
      for group in groups {
        guard let chain = all.chain(of: group), isInRange(group.events[chain.anchor]),
          !query.isMature || chain.limit <= query.now.milliseconds,
          all.segment(of: group, at: chain.anchor) != nil
        else { continue }
        counts[key]?[0] += 1
        guard value(of: key, in: group, at: chain.anchor) == .null else { continue }
        counts[key]?[1] += 1
        if window(of: group, from: chain.anchor).contains(where: { value(of: key, in: group, at: $0) != .null }) {
          counts[key]?[2] += 1
        }
      }
    }
    return counts
  }

  /// Returns whether the values of a dimension are texts although they may look like numbers.
  private func isText(_ dimension: Dimension) -> Bool {
    if [.day, .week, .month, .hour, .weekday].contains(dimension) { return true }
    let texts = ["ctx.app_version", "ctx.os_version"] + flow.versions.map(\.description)
    return texts.contains(dimension.stored?.description ?? "")
  }

  private static func text(of value: PropertyValue) -> PropertyValue {
    if case .null = value { value } else { .string(value.description) }
  }

  /// Returns a value as a person reads it: a text of digits is a number, whatever the type it was logged with.
  private static func plain(_ value: PropertyValue) -> PropertyValue {
    switch value.description {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case let text:
      guard case .null = value else {
        if let whole = Int64(text), "\(whole)" == text { return .integer(whole) }
        if let number = Double(text), "\(number)" == text {
          return number == number.rounded() ? .integer(Int64(number)) : .double(number)
        }
        return value
      }
      return value
    }
  }

  /// Groups members by segment. The segments are sorted by the days and versions among their keys, then by size with the
  /// largest first, then by value.
  func bySegment<Member>(_ members: [(segment: Segment, member: Member)]) -> [(segment: Segment, members: [Member])] {
    Dictionary(grouping: members, by: \.segment)
      .map { ($0.key, $0.value.map(\.member)) }
      .sorted { a, b in
        for (key, (valueA, valueB)) in zip(query.by, zip(a.0.values, b.0.values)) where valueA != valueB {
          if [.day, .week, .month, .hour, .version].contains(key) { return valueA < valueB }
          if key == .weekday { return Self.weekday(valueA) < Self.weekday(valueB) }
        }
        return a.1.count != b.1.count ? a.1.count > b.1.count : a.0 < b.0
      }
  }

  private static func weekday(_ value: PropertyValue) -> Int {
    ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].firstIndex(of: value.description) ?? 7
  }

  /// Returns the nearest-rank percentile: the smallest value that at least `percent` percent of the values do not exceed.
  static func nearestRank(_ values: [Int64], _ percent: Int) -> Int64 {
    let sorted = values.sorted()
    return sorted.first { candidate in sorted.count { $0 <= candidate } * 100 >= percent * sorted.count } ?? 0
  }
}
