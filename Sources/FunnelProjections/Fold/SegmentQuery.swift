package import FunnelHistories
package import FunnelIndex
package import FunnelModel

/// The dimensions and conditions of a query, resolved for one flow version.
package struct SegmentQuery: Sendable {
  package let query: ReportQuery
  /// Whether all groups belong to one segment and there is no condition.
  package let isWhole: Bool
  /// Whether segments or conditions depend on the day.
  let asksForDays: Bool
  /// Whether they depend on the hour, too.
  private let asksForHours: Bool
  /// The stored dimensions whose values are those at the anchor, without duplicates.
  package let anchorKeys: [Dimension]
  /// The ids of the steps whose events provide values for segments or conditions, without duplicates.
  let steps: [String]
  /// The sources of the values of segments, and whether the values are texts whatever they look like.
  private let by: [(source: Source, isText: Bool)]
  private let conditions: [(source: Source, condition: SegmentCondition, isVersion: Bool)]

  /// The source of a dimension's value.
  private enum Source: Sendable {
    /// A column of the segment table, at the anchor; by index in ``anchorKeys``.
    case anchor(Int)
    /// A column at the match of a step or at its completion, by index in ``steps``.
    case step(Int, Dimension)
    /// The day, week, month, hour or day of the week of the anchor.
    case calendar(Dimension)
    case constant(PropertyValue)
  }

  init(flow: FlowDefinition, query: ReportQuery) {
    self.query = query
    isWhole = query.by.isEmpty && query.conditions.isEmpty
    // A condition on the subject is about all groups of a history, which the fold leaves out as a whole.
    let asked = query.conditions.filter { $0.dimension != .subject }
    let dimensions = query.by + asked.map(\.dimension)
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
        if let place = steps.firstIndex(of: id), let stored = dimension.stored {
          .step(place, stored)
        } else {
          .constant(.null)
        }
      }
    }
    by = query.by.map { (source(of: $0), flow.isText($0)) }
    conditions = asked.map { (source(of: $0.dimension), $0, flow.isVersion($0.dimension)) }
  }

  /// Returns the number of the day of a moment, or of the hour if segments or conditions depend on it. Moments with the same number and row
  /// belong to the same segment.
  func period(at milliseconds: Int64) -> Int {
    asksForHours ? query.timeZone.hour(at: milliseconds) : query.timeZone.day(at: milliseconds).daysSinceEpoch
  }

  /// Whether the anchor's row and time alone determine the segment of a group.
  var readsAnchorAlone: Bool { steps.isEmpty && query.attribution == .anchor && !query.dropsMixed }

  /// Whether a condition depends on the time of the anchor.
  var hasCalendarConditions: Bool {
    conditions.contains { if case .calendar = $0.source { true } else { false } }
  }

  /// The key whose values are mixed in a group that has several: the first one that groups are split by, if the log stores its values. A
  /// comparison tells its sides apart by it; a stratum may change.
  var mixedKeys: [Dimension] { anchorKeys.filter { $0 == query.by.first } }

  /// Whether the values of the first key that groups are split by are texts whatever they look like.
  var isFirstKeyText: Bool { by.first?.isText ?? true }

  /// Returns the segment of a group, or nil if a condition does not hold.
  ///
  /// - Parameters:
  ///   - rows: The rows of the events that provide values.
  ///   - milliseconds: The time of the anchor (or first pre-prompt).
  package func segment(rows: SegmentRows, milliseconds: Int64, in table: SegmentTable) -> Segment? {
    let values = Values(question: self, rows: rows, milliseconds: milliseconds, table: table)
    for (source, condition, isVersion) in conditions where !condition.holds(for: values.value(of: source), isVersion: isVersion)
    {
      return nil
    }
    return Segment(values: by.map { values.value(of: $0.source).segmentValue(isText: $0.isText) })
  }

  /// Returns which conditions do not hold for a group, apart from those on the values of steps.
  func failures(rows: SegmentRows, milliseconds: Int64, in table: SegmentTable) -> ConditionFailures {
    let values = Values(question: self, rows: rows, milliseconds: milliseconds, table: table)
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

  /// The values of one group.
  private struct Values {
    let question: SegmentQuery
    let rows: SegmentRows
    let milliseconds: Int64
    let table: SegmentTable

    init(question: SegmentQuery, rows: SegmentRows, milliseconds: Int64, table: SegmentTable) {
      precondition(
        rows.steps.count == question.steps.count * SegmentRows.rowsOfStep, "a segment depends on the events of its steps")
      (self.question, self.rows, self.milliseconds, self.table) = (question, rows, milliseconds, table)
    }

    func value(of source: Source) -> PropertyValue {
      switch source {
      case .anchor(let key):
        let dimension = question.anchorKeys[key]
        let value = table.value(of: dimension, row: rows.anchor)
        guard value == .null, !rows.later.isEmpty, let later = rows.later[key] else { return value }
        return table.value(of: dimension, row: later)
      case .step(let place, let dimension):
        let start = place * SegmentRows.rowsOfStep
        for case let row? in rows.steps[start..<(start + SegmentRows.rowsOfStep)] {
          let value = table.value(of: dimension, row: row)
          if value != .null { return value }
        }
        return .null
      case .calendar(let dimension):
        return question.query.timeZone.value(of: dimension, at: milliseconds).map(PropertyValue.string) ?? .null
      case .constant(let value): return value
      }
    }
  }
}

/// The rows, in a segment table, of the events that provide the values of a group.
package struct SegmentRows: Hashable, Sendable {
  /// The number of events of a step that may provide its value: the match, and the first completion in the stay.
  static let rowsOfStep = 2

  /// The row of the anchor, or of the first pre-prompt.
  var anchor: UInt32
  /// The row that provides each of ``SegmentQuery/anchorKeys`` that the anchor lacks, or nil; empty if all values are the anchor's.
  var later: [UInt32?] = []
  /// The rows of the events of each of ``SegmentQuery/steps``: ``rowsOfStep`` for a step, nil for an event that there is not.
  var steps: [UInt32?] = []
}

/// The conditions of a query that do not hold for a group.
struct ConditionFailures {
  /// The keys with such a condition, by index in ``SegmentQuery/anchorKeys``.
  var keys = KeySet()
  /// Whether there is one on something other than a key, such as the day.
  var hasOther = false
}
