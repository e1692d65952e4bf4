package import FunnelSequences
package import FunnelIndex
package import FunnelModel

/// The dimensions and conditions of a query for one flow version, which decide the segment of each group.
package struct SegmentQuery: Sendable {
  package let query: ReportQuery
  /// Whether the query has neither dimensions nor conditions, so all groups belong to the segment without values.
  package let isWhole: Bool
  /// Whether segments or conditions depend on the day of the anchor.
  let asksForDays: Bool
  /// Whether segments or conditions depend on the hour of the anchor.
  private let asksForHours: Bool
  /// The stored dimensions whose values are read at the anchor, without duplicates.
  package let anchorKeys: [Dimension]
  /// The IDs of the steps whose events provide values for segments or conditions, without duplicates.
  let steps: [String]
  /// The dimensions of segments. Values of a text dimension are kept as text, even if they look like numbers.
  private let by: [(source: Source, isText: Bool)]
  private let conditions: [(source: Source, condition: SegmentCondition, isVersion: Bool)]

  /// The source of a dimension's value.
  private enum Source: Sendable {
    /// The dimension row of the anchor; the key is an index in ``anchorKeys``.
    case anchor(Int)
    /// The dimension row of the match of a step, or of its first completion; the step is an index in ``steps``.
    case step(Int, Dimension)
    /// The time of the anchor: its day, week, month, hour or day of the week.
    case calendar(Dimension)
    /// No event: the value is the same for all groups.
    case constant(PropertyValue)
  }

  /// Creates the dimensions and conditions of a query about a flow version.
  init(flow: FlowDefinition, query: ReportQuery) {
    self.query = query
    isWhole = query.by.isEmpty && query.conditions.isEmpty
    // Conditions on the subject are evaluated once for an event sequence (``FoldWorker``).
    let groupConditions = query.conditions.filter { $0.dimension != .subject }
    let dimensions = query.by + groupConditions.map(\.dimension)
    asksForDays = dimensions.contains { $0.calendarExample != nil }
    asksForHours = dimensions.contains(.hour)
    var steps: [String] = []
    var anchorKeys: [Dimension] = []
    for dimension in dimensions {
      if case .step(let id, _) = dimension {
        if !steps.contains(id) { steps.append(id) }
      } else if dimension.stored == dimension, !anchorKeys.contains(dimension) {
        anchorKeys.append(dimension)
      }
    }
    self.steps = steps
    self.anchorKeys = anchorKeys
    func source(of dimension: Dimension) -> Source {
      switch dimension {
      case .property, .context, .properties: anchorKeys.firstIndex(of: dimension).map(Source.anchor) ?? .constant(.null)
      case .day, .week, .month, .hour, .weekday: .calendar(dimension)
      case .version: .constant(.integer(Int64(flow.version)))
      case .subject: .constant(.null)
      case .step(let id, _):
        if let step = steps.firstIndex(of: id), let stored = dimension.stored {
          .step(step, stored)
        } else {
          .constant(.null)
        }
      }
    }
    by = query.by.map { (source(of: $0), flow.isText($0)) }
    conditions = groupConditions.map { (source(of: $0.dimension), $0, flow.isVersion($0.dimension)) }
  }

  /// Returns the number of the day at a time, or of the hour if segments or conditions depend on the hour.
  ///
  /// Anchors with the same number and dimension row belong to the same segment, if it depends on nothing else.
  func period(at milliseconds: Int64) -> Int {
    asksForHours ? query.timeZone.hour(at: milliseconds) : query.timeZone.day(at: milliseconds).daysSinceEpoch
  }

  /// Whether the segment of a group depends only on the dimension row and the time of its anchor.
  var readsAnchorAlone: Bool { steps.isEmpty && query.attribution == .anchor && !query.dropsMixed }

  /// Whether a condition depends on the time of the anchor.
  var hasCalendarConditions: Bool {
    conditions.contains { if case .calendar = $0.source { true } else { false } }
  }

  /// The key of which a group should have only one value: the first dimension of the query, if it is read at the
  /// anchor. At most one.
  // A comparison splits its two sides by the first dimension. The others are strata, whose values may change.
  var mixedKeys: [Dimension] { anchorKeys.filter { $0 == query.by.first } }

  /// Whether the first dimension of the query is a text dimension. The default without dimensions is `true`.
  var isFirstKeyText: Bool { by.first?.isText ?? true }

  /// Returns the segment of a group, or `nil` if a condition does not hold.
  ///
  /// - Parameters:
  ///   - rows: The dimension rows of the events that provide values.
  ///   - milliseconds: The time of the anchor, or of the first pre-prompt.
  ///   - table: The table that the rows belong to.
  package func segment(rows: SegmentRows, milliseconds: Int64, in table: SegmentTable) -> Segment? {
    let values = Values(self, rows: rows, milliseconds: milliseconds, table: table)
    for (source, condition, isVersion) in conditions where !condition.holds(for: values.value(of: source), isVersion: isVersion)
    {
      return nil
    }
    return Segment(values: by.map { values.value(of: $0.source).segmentValue(isText: $0.isText) })
  }

  /// Returns the conditions that do not hold for a group, except those on values of steps.
  func failures(rows: SegmentRows, milliseconds: Int64, in table: SegmentTable) -> ConditionFailures {
    let values = Values(self, rows: rows, milliseconds: milliseconds, table: table)
    var failures = ConditionFailures()
    for (source, condition, isVersion) in conditions where !condition.holds(for: values.value(of: source), isVersion: isVersion)
    {
      switch source {
      case .step: break
      case .anchor(let key): failures.keys.insert(key)
      case .calendar, .constant: failures.hasOther = true
      }
    }
    return failures
  }

  /// The source of one group's values.
  private struct Values {
    let query: SegmentQuery
    let rows: SegmentRows
    let milliseconds: Int64
    let table: SegmentTable

    init(_ query: SegmentQuery, rows: SegmentRows, milliseconds: Int64, table: SegmentTable) {
      precondition(rows.steps.count == query.steps.count, "a segment depends on the events of its steps")
      self.query = query
      self.rows = rows
      self.milliseconds = milliseconds
      self.table = table
    }

    /// Returns the value from a source, or null if there is none.
    func value(of source: Source) -> PropertyValue {
      switch source {
      case .anchor(let key):
        let dimension = query.anchorKeys[key]
        let value = table.value(of: dimension, row: rows.anchor)
        guard value == .null, !rows.later.isEmpty, let later = rows.later[key] else { return value }
        return table.value(of: dimension, row: later)
      case .step(let step, let dimension):
        for case let row? in [rows.steps[step].match, rows.steps[step].completion] {
          let value = table.value(of: dimension, row: row)
          if value != .null { return value }
        }
        return .null
      case .calendar(let dimension):
        return query.query.timeZone.value(of: dimension, at: milliseconds).map(PropertyValue.string) ?? .null
      case .constant(let value): return value
      }
    }
  }
}

/// The dimension rows of the events that provide the values of a group.
package struct SegmentRows: Hashable, Sendable {
  /// The rows of the events of a step, or `nil` for an event that does not exist. The first row with a value provides it.
  package struct Step: Hashable, Sendable {
    /// The row of the match.
    var match: UInt32?
    /// The row of the first completion.
    var completion: UInt32?

    /// The greatest row, or 0 without events.
    var greatest: UInt32 { max(match ?? 0, completion ?? 0) }
  }

  /// The row of the anchor, or of the first pre-prompt.
  var anchor: UInt32
  /// The row of the first later event that has each of ``SegmentQuery/anchorKeys``, or `nil` for a key that the
  /// anchor has or that no event has. Empty if there is no such event, or if values of later events are not used.
  var later: [UInt32?] = []
  /// The rows of each of ``SegmentQuery/steps``.
  var steps: [Step] = []

  /// The greatest row.
  var greatest: UInt32 { steps.reduce(later.reduce(anchor) { max($0, $1 ?? 0) }) { max($0, $1.greatest) } }
}

/// The conditions of a query that do not hold for a group.
struct ConditionFailures {
  /// The keys whose conditions do not hold, by index in ``SegmentQuery/anchorKeys``.
  var keys = KeySet()
  /// Whether a condition on something other than a key, such as the day, does not hold.
  var hasOther = false
}
