package import FunnelModel

/// The report of `funnel report funnel`: the number of groups that reach each step of a flow, and the time
/// between steps.
package enum FunnelReport: NamedReport {
  package typealias Projector = FunnelProjector

  package static let name = "funnel"
  package static let heading = "Funnel"

  package static let fields: [Field<FunnelRow>] = [
    .count("window_ms") { Int($0.windowMilliseconds) },
    .segment,
    .count("entered") { $0.entered },
    .count("completed") { $0.completed },
    .count("in_progress") { $0.inProgress },
    .count("dropped") { $0.dropped },
    .count("returned") { $0.returned },
    .count("finished_out_of_order") { $0.finishedOutOfOrder },
    .optionalCount("excluded") { $0.excluded },
    .rate("conversion") { $0.conversion },
    .object(
      "closed",
      [
        .count("entered") { $0.closed.entered },
        .count("completed") { $0.closed.completed },
        .rate("conversion") { $0.closed.conversion },
      ]),
    .list("steps", stepFields) { $0.steps },
  ]

  private static let stepFields: [Field<FunnelStepRow>] = [
    .text("id") { $0.id },
    .text("label") { $0.label },
    .flag("optional") { $0.isOptional },
    .count("reached") { $0.reached },
    .share("from_previous") { $0.fromPrevious },
    .share("from_start") { $0.fromStart },
    .count("dropped") { $0.dropped },
    .count("in_progress") { $0.inProgress },
    .quantiles("time_from_previous_ms") { $0.timeFromPrevious },
  ]
}

/// The funnel of one flow version in one segment.
package struct FunnelRow: ReportRow {
  package var key: RowKey
  package var title: String
  /// The conversion window, in milliseconds.
  package var windowMilliseconds: Int64
  package var entered = 0
  package var completed = 0
  package var inProgress = 0
  /// The number of groups that did not complete, and whose window has closed or that an outcome ended.
  package var dropped = 0
  /// The number of groups that began before the period and again in it, or `nil` if the query can't identify
  /// them. No other number of the row includes them.
  package var returned: Int?
  /// The number of dropped groups that entered the last required step within the window, but out of order.
  package var finishedOutOfOrder = 0
  /// The number of groups in progress that entered the last required step, but out of order.
  package var inProgressOutOfOrder = 0
  /// The number of groups that left because of an excluded event, or `nil` if the flow and the query exclude no
  /// events.
  package var excluded: Int?
  /// The share of the entered groups that completed, or `nil` if none entered.
  package var conversion: Rate?
  /// The conversion of the groups whose window has closed.
  package var closed = ClosedConversion()
  package var steps: [FunnelStepRow] = []

  package var groups: Int { entered }

  package var isConsistent: Bool { entered == completed + dropped + inProgress + (excluded ?? 0) }
}

/// The conversion of the groups whose window has closed. It changes only if late events arrive.
package struct ClosedConversion: Hashable, Sendable {
  package var entered: Int
  package var completed: Int
  package var conversion: Rate?

  package init(entered: Int = 0, completed: Int = 0, conversion: Rate? = nil) {
    self.entered = entered
    self.completed = completed
    self.conversion = conversion
  }
}

/// One step of a funnel. Fields that do not apply to an optional step are `nil`.
package struct FunnelStepRow: Hashable, Sendable {
  package var id: String
  package var label: String
  package var isOptional: Bool
  /// The number of groups that reached the step, or `nil` for an optional step if steps may come in any order.
  package var reached: Int?
  /// The share of the groups that reached the previous required step.
  package var fromPrevious: Double?
  /// The share of the groups that entered the flow.
  package var fromStart: Double?
  /// The number of groups that dropped after this step.
  package var dropped: Int?
  /// The number of groups in progress whose last matched step is this one.
  package var inProgress: Int?
  /// The time from the previous required step, in milliseconds.
  package var timeFromPrevious: Quantiles?
}

extension FunnelStepRow {
  /// Creates a row without numbers.
  package init(id: String, label: String, isOptional: Bool) {
    self.id = id
    self.label = label
    self.isOptional = isOptional
  }

  /// Removes the numbers that can't be summed.
  fileprivate mutating func clearShares() {
    fromPrevious = nil
    fromStart = nil
    timeFromPrevious = nil
  }

  /// Adds the counts of the same step in another row.
  fileprivate mutating func add(_ other: FunnelStepRow) {
    func sum(_ a: Int?, _ b: Int?) -> Int? { a.map { $0 + (b ?? 0) } ?? b }
    reached = sum(reached, other.reached)
    dropped = sum(dropped, other.dropped)
    inProgress = sum(inProgress, other.inProgress)
  }
}

extension FunnelRow {
  /// Creates a row without groups and steps.
  package init(key: RowKey, title: String, windowMilliseconds: Int64) {
    self.key = key
    self.title = title
    self.windowMilliseconds = windowMilliseconds
  }

  /// Returns the sums of rows that differ only in their last dimensions. The sums have no shares, rates and times.
  static func summed(_ rows: [FunnelRow], withoutLast count: Int) -> [FunnelRow] {
    var sums: [FunnelRow] = []
    var indexOfKey: [RowKey: Int] = [:]
    for row in rows {
      var key = row.key
      key.segment.removeLast(count)
      guard let index = indexOfKey[key] else {
        indexOfKey[key] = sums.count
        var sum = row
        sum.key = key
        sum.conversion = nil
        sum.closed.conversion = nil
        for step in sum.steps.indices { sum.steps[step].clearShares() }
        sums.append(sum)
        continue
      }
      sums[index].entered += row.entered
      sums[index].completed += row.completed
      sums[index].inProgress += row.inProgress
      sums[index].dropped += row.dropped
      sums[index].finishedOutOfOrder += row.finishedOutOfOrder
      sums[index].inProgressOutOfOrder += row.inProgressOutOfOrder
      sums[index].closed.entered += row.closed.entered
      sums[index].closed.completed += row.closed.completed
      for (step, other) in zip(sums[index].steps.indices, row.steps) { sums[index].steps[step].add(other) }
    }
    return sums
  }

  /// Whether many groups are in progress. The conversion is then not final.
  var hasManyInProgress: Bool { ManyInProgress.holds(inProgress, of: entered) }

  /// The denominator of each step's share of the previous step: the groups that reached the last required step
  /// before it.
  var previousReached: [Int] {
    var previous = entered
    return steps.map { step in
      defer { if !step.isOptional, let reached = step.reached { previous = reached } }
      return previous
    }
  }
}
