public import FunnelModel

/// The values of a query's first dimension among the groups that entered a flow, with the number of groups of each.
public struct SegmentSizes: Sendable {
  /// The values other than null in ascending order.
  public let values: [(value: PropertyValue, groups: Int)]
  /// The number of groups whose value is null.
  public let groupsWithout: Int

  /// Counts the values of all funnel rows of a report.
  public init(of report: Report) {
    var sizes: [PropertyValue: Int] = [:]
    for row in report[FunnelReport.self] ?? [] {
      if let value = row.key.segment.first { sizes[value, default: 0] += row.entered }
    }
    groupsWithout = sizes.removeValue(forKey: .null) ?? 0
    values = sizes.map { (value: $0.key, groups: $0.value) }.sorted { $0.value < $1.value }
  }

  /// The values, the most frequent first.
  public var mostFrequentFirst: [(value: PropertyValue, groups: Int)] {
    values.enumerated().sorted { ($1.element.groups, $0.offset) < ($0.element.groups, $1.offset) }.map(\.element)
  }

  /// Returns the side of the values that an item of a list stands for, or nil if no group has one. An empty item stands for null.
  public func side(of item: ConditionItem) -> Report.ValueSide? {
    if item.text.isEmpty { return groupsWithout > 0 ? Report.ValueSide([.null]) : nil }
    let values = values.map(\.value).filter(item.matches)
    return values.isEmpty ? nil : Report.ValueSide(values)
  }
}
