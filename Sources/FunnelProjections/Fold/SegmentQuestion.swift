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
  /// Whether they depend on the hour, too.
  private let asksForHours: Bool
  /// The ids of the steps whose matches provide values for segments or conditions, without duplicates.
  let steps: [String]
  /// The sources of the values of segments, and whether the values are texts whatever they look like.
  private let by: [(source: Source, isText: Bool)]
  private let conditions: [(source: Source, condition: SegmentCondition, isVersion: Bool)]

  /// The source of a dimension's value.
  private enum Source: Sendable {
    /// A column of the segment table, at the anchor.
    case anchor(Dimension)
    /// A column at the match of a step, by index in ``steps``.
    case step(Int, Dimension)
    /// The day, week, month, hour or day of the week of the anchor.
    case calendar(Dimension)
    case constant(PropertyValue)
  }

  init(flow: FlowDefinition, query: ReportQuery) {
    self.query = query
    isWhole = query.by.isEmpty && query.conditions.isEmpty
    let dimensions = query.by + query.conditions.map(\.dimension)
    asksForDays = dimensions.contains { $0.calendarExample != nil }
    asksForHours = dimensions.contains(.hour)
    var steps: [String] = []
    for case .step(let id, _) in dimensions where !steps.contains(id) { steps.append(id) }
    self.steps = steps
    func source(of dimension: Dimension) -> Source {
      switch dimension {
      case .property, .context, .properties: .anchor(dimension)
      case .day, .week, .month, .hour, .weekday: .calendar(dimension)
      case .version: .constant(.integer(Int64(flow.version)))
      case .step(let id, _):
        if let place = steps.firstIndex(of: id), let stored = dimension.stored {
          .step(place, stored)
        } else {
          .constant(.null)
        }
      }
    }
    by = query.by.map { (source(of: $0), flow.isText($0)) }
    conditions = query.conditions.map { (source(of: $0.dimension), $0, flow.isVersion($0.dimension)) }
  }

  /// Returns the number of the day of a moment, or of the hour if segments or conditions depend on it. Moments with the same number and row
  /// belong to the same segment.
  func period(at milliseconds: Int64) -> Int {
    asksForHours ? query.timeZone.hour(at: milliseconds) : query.timeZone.day(at: milliseconds).daysSinceEpoch
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
    for (source, condition, isVersion) in conditions where !condition.holds(for: value(source), isVersion: isVersion) {
      return nil
    }
    return Segment(values: by.map { value($0.source).segmentValue(isText: $0.isText) })
  }
}
