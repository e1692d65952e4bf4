public import FunnelModel
import FunnelHistories

/// The reports of specification section 3, implemented literally: every anchor is tried, every match is searched for from the
/// beginning, and every number is counted from the list of groups.
///
/// It shares no code with the projectors, so that it can check them. It is too slow for anything but tests.
public struct BruteForce {
  let flow: FlowDefinition
  let query: ReportQuery
  let groups: [StoredJourney]
  let window: Int64

  public init(flow: FlowDefinition, query: ReportQuery, groups: [StoredJourney]) {
    self.flow = flow
    self.query = query
    self.groups = groups
    window = (query.window ?? flow.window).milliseconds
  }

  var required: [Int] { flow.steps.indices.filter { !flow.steps[$0].isOptional } }

  func enters(_ event: JourneyEvent, _ step: Int) -> Bool { (event.kind.stepMask >> UInt64(step)) % 2 == 1 }

  func isInRange(_ event: JourneyEvent) -> Bool {
    if let since = query.since, event.milliseconds < since.milliseconds { return false }
    if let until = query.until, event.milliseconds >= until.milliseconds { return false }
    return true
  }

  /// Returns the values of `by` at an event, those of step dimensions at the matches of their steps, or nil if a condition does
  /// not hold.
  func segment(of group: StoredJourney, at index: Int) -> Segment? {
    let chain = chain(of: group)
    return group.withJourney { journey in
      func value(_ dimension: Dimension) -> PropertyValue {
        switch dimension {
        case .version: return .integer(Int64(flow.version))
        case .step(let id, _):
          guard let step = flow.steps.firstIndex(where: { $0.id == id }),
            let match = chain.flatMap({ self.match(of: step, along: $0) }), let stored = dimension.stored
          else { return .null }
          return journey.value(of: stored, at: group.events[match], in: query.timeZone)
        default: return journey.value(of: dimension, at: group.events[index], in: query.timeZone)
        }
      }
      guard query.conditions.allSatisfy({ $0.holds(for: value($0.dimension)) }) else { return nil }
      return Segment(values: query.by.map { isText($0) ? Self.text(of: value($0)) : Self.plain(value($0)) })
    }
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
