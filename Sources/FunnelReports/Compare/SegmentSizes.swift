package import FunnelModel

/// The values of a query's first dimension, with the number of groups that entered with each.
///
/// Values with the same text are merged, such as the number 4 of one flow and the text `4` of another.
package struct SegmentSizes: Sendable {
  /// The values other than null, in ascending order. Versions are compared field by field.
  package let values: [(value: PropertyValue, groups: Int)]
  /// The number of groups whose value is null.
  package let groupsWithout: Int
  /// All values with the same text, by that text.
  private let spellings: [String: [PropertyValue]]

  /// Collects the values of all funnel rows of a report.
  ///
  /// - Parameter flows: The flow versions of the report. Their schemas declare whether the values are versions.
  package init(of report: Report, flows: [FlowDefinition]) {
    var sizes: [PropertyValue: Int] = [:]
    for row in report[FunnelReport.self] ?? [] {
      if let value = row.key.segment.first { sizes[value, default: 0] += row.entered }
    }
    groupsWithout = sizes.removeValue(forKey: .null) ?? 0
    let sizesByText = Dictionary(grouping: sizes, by: \.key.description)
    spellings = sizesByText.mapValues { $0.map(\.key).sorted() }
    let merged = sizesByText.values.compactMap { alike in
      alike.map(\.key).min().map { (value: $0, groups: alike.reduce(0) { $0 + $1.value }) }
    }
    let isVersion = report.query.by.first.map { key in flows.contains { $0.isVersion(key) } } ?? false
    values = merged.sorted { isVersion ? Self.precedesAsVersion($0.value, $1.value) : $0.value < $1.value }
  }

  /// The values, the most frequent first.
  package var mostFrequentFirst: [(value: PropertyValue, groups: Int)] {
    values.enumerated().sorted { ($1.element.groups, $0.offset) < ($0.element.groups, $1.offset) }.map(\.element)
  }

  /// The sides of all values, in ascending order.
  package var sides: [Report.ValueSide] { values.map { Report.ValueSide(spellings[$0.value.description] ?? [$0.value]) } }

  /// Returns the side of the values that match a list item, or `nil` if no group has one. An empty item matches null.
  package func side(of item: ConditionItem) -> Report.ValueSide? {
    if item.text.isEmpty { return groupsWithout > 0 ? Report.ValueSide([.null]) : nil }
    let values = spellings.values.flatMap(\.self).sorted().filter(item.matches)
    return values.isEmpty ? nil : Report.ValueSide(values)
  }

  private static func precedesAsVersion(_ a: PropertyValue, _ b: PropertyValue) -> Bool {
    guard let versionA = DottedVersion(a.description), let versionB = DottedVersion(b.description), versionA != versionB else {
      return a < b
    }
    return versionA < versionB
  }
}
