package import FunnelHistories
package import FunnelIndex
package import FunnelModel

/// The dimensions and conditions of a query, resolved for one flow version.
package struct SegmentQuestion: Sendable {
  package let query: ReportQuery
  /// Whether all groups belong to one segment and there is no condition.
  package let isWhole: Bool
  /// Whether segments or conditions depend on the day.
  let asksForDays: Bool
  /// The ids of the steps whose matches provide values for segments or conditions, without duplicates.
  let steps: [String]
  private let by: [Source]
  private let conditions: [(source: Source, condition: SegmentCondition)]

  /// The source of a dimension's value.
  private enum Source: Sendable {
    /// A column of the segment table, at the anchor.
    case anchor(Dimension)
    /// A column at the match of a step, by index in ``steps``.
    case step(Int, Dimension)
    /// The day, week or month of the anchor.
    case calendar(Dimension)
    case constant(PropertyValue)
  }

  init(flow: FlowDefinition, query: ReportQuery) {
    self.query = query
    isWhole = query.by.isEmpty && query.conditions.isEmpty
    let dimensions = query.by + query.conditions.map(\.dimension)
    asksForDays = dimensions.contains { $0 == .day || $0 == .week || $0 == .month }
    var steps: [String] = []
    for case .step(let id, _) in dimensions where !steps.contains(id) { steps.append(id) }
    self.steps = steps
    func source(of dimension: Dimension) -> Source {
      switch dimension {
      case .property, .context, .properties: .anchor(dimension)
      case .day, .week, .month: .calendar(dimension)
      case .version: .constant(.integer(Int64(flow.version)))
      case .step(let id, _):
        if let place = steps.firstIndex(of: id), let stored = dimension.stored {
          .step(place, stored)
        } else {
          .constant(.null)
        }
      }
    }
    by = query.by.map(source)
    conditions = query.conditions.map { (source(of: $0.dimension), $0) }
  }

  /// Returns the segment of a group, or nil if a condition does not hold.
  ///
  /// - Parameters:
  ///   - row: The row of the anchor (or first pre-prompt) in the table.
  ///   - milliseconds: The time of that event.
  ///   - stepRows: The row of the match of each of ``steps``, or nil for a step that was not reached.
  package func segment(row: UInt32, milliseconds: Int64, stepRows: [UInt32?], in table: SegmentTable) -> Segment? {
    precondition(stepRows.count == steps.count, "a segment depends on the matches of its steps")
    func value(_ source: Source) -> PropertyValue {
      switch source {
      case .anchor(let dimension): table.value(of: dimension, row: row)
      case .step(let place, let dimension): stepRows[place].map { table.value(of: dimension, row: $0) } ?? .null
      case .calendar(let dimension):
        query.timeZone.value(of: dimension, at: milliseconds).map(PropertyValue.string) ?? .null
      case .constant(let value): value
      }
    }
    for (source, condition) in conditions where !condition.holds(for: value(source)) { return nil }
    return Segment(values: by.map(value))
  }
}
