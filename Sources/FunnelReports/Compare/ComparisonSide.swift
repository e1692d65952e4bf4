package import FunnelModel

/// One side of a comparison: its funnel and grant rows, and the steps and permissions of their flow version.
///
/// A side may have several rows, whose counts add up. `--sides 1` selects both the text `1` and the number 1,
/// and each stratum has its own row.
package struct ComparisonSide: Sendable {
  /// A required step of a flow.
  package struct Step: Hashable, Sendable {
    package var id: String
    package var label: String
  }

  /// The name in JSON and CSV.
  package var label: String
  /// The display name.
  package var title: String
  /// The required steps of the flow version, in their order.
  package var steps: [Step]
  /// The permissions of the flow version.
  package var permissions: [String]
  /// The number of groups that are excluded because they are in progress.
  package var inProgress = 0
  /// The number of groups that have the values of several sides.
  package var mixed = 0
  /// The number of entries on each day. Empty if entries are not counted by day.
  package var enteredByDay: [CivilDate: Int] = [:]
  /// The first day of the period, or `nil` if the side is not a period.
  package var firstDay: CivilDate?
  /// The first and the last day with an entry, or `nil` if ``enteredByDay`` has no entries.
  package var days: ClosedRange<CivilDate>? {
    let days = enteredByDay.filter { $0.value > 0 }.keys
    guard let first = days.min(), let last = days.max() else { return nil }
    return first...last
  }
  var funnel: [FunnelRow]
  var grants: [GrantRow]

  /// The number of groups that entered the flow.
  var entered: Int { funnel.reduce(0) { $0 + $1.entered } }

  /// The number of groups that dropped.
  var dropped: Int { funnel.reduce(0) { $0 + $1.dropped } }

  /// The number of groups that dropped, but reached the last step in another way.
  var finishedOutOfOrder: Int { funnel.reduce(0) { $0 + $1.finishedOutOfOrder } }

  /// The number of counted groups that are in progress.
  var countedInProgress: Int { funnel.reduce(0) { $0 + $1.inProgress } }

  /// The number of counted groups in progress that reached the last step in another way.
  var inProgressOutOfOrder: Int { funnel.reduce(0) { $0 + $1.inProgressOutOfOrder } }

  /// The steps between the first and the last one. Every group has entered the first, and the last is conversion.
  var middleSteps: [Step] { Array(steps.dropFirst().dropLast()) }
}

extension ComparisonSide {
  /// Creates a side from the rows of one flow version.
  package init(
    label: String, title: String? = nil, of flow: FlowDefinition, order: StepOrder = .ordered, funnel: [FunnelRow],
    grants: [GrantRow]
  ) {
    let required = flow.requiredSteps
    self.label = label
    self.title = title ?? label
    steps = required.enumerated().map { index, step in
      Step(
        id: flow.steps[step].id,
        label: StepLabel.text(of: flow.steps[step].label, number: index + 1, of: required.count, order: order))
    }
    permissions = flow.permissions.map(\.name)
    self.funnel = funnel
    self.grants = grants
  }

  /// The share of the groups that completed, of those that entered.
  var conversion: ComparedShare { ComparedShare(funnel.reduce(0) { $0 + $1.completed }, of: entered) }

  /// Returns the share that reached a step, of those that entered, or `nil` if the flow version does not
  /// require the step.
  private func reached(_ id: String) -> ComparedShare? {
    guard steps.contains(where: { $0.id == id }) else { return nil }
    let reached = funnel.reduce(0) { sum, row in sum + (row.steps.first { $0.id == id }?.reached ?? 0) }
    return ComparedShare(reached, of: entered)
  }

  /// The shares of the answers to a request for a permission.
  struct Answers {
    let granted: ComparedShare
    let access: ComparedShare
    let inDialog: ComparedShare

    /// Whether some groups have access without a full grant. The two shares then differ.
    var hasAccessWithoutGrant: Bool { access.count > granted.count }
  }

  /// Returns the shares of a permission, or `nil` if the flow version does not ask for it.
  func answers(to permission: String) -> Answers? {
    guard permissions.contains(permission) else { return nil }
    let rows = grants.filter { $0.permission == permission }
    func sum(_ count: (GrantRow) -> Int) -> Int { rows.reduce(0) { $0 + count($1) } }
    let prompted = sum(\.prompted)
    let granted = sum(\.granted)
    return Answers(
      granted: ComparedShare(granted, of: prompted),
      access: ComparedShare(granted + sum(\.limited) + sum(\.provisional), of: prompted),
      inDialog: ComparedShare(granted, of: granted + sum(\.limited) + sum(\.denied)))
  }

  /// Returns the share of a metric, or `nil` if the flow version lacks its step or permission.
  func share(of metric: MetricName) -> ComparedShare? {
    switch metric {
    case .conversion: conversion
    case .reached(let step): reached(step)
    case .grantRate(let permission): answers(to: permission)?.granted
    case .accessRate(let permission): answers(to: permission)?.access
    case .dialogGrantRate(let permission): answers(to: permission)?.inDialog
    }
  }

  /// Returns the side divided into strata, by the value at an index of the rows' segments.
  func byStratum(at index: Int) -> [PropertyValue: ComparisonSide] {
    var strata: [PropertyValue: ComparisonSide] = [:]
    var empty = self
    empty.funnel = []
    empty.grants = []
    for row in funnel { strata[row.key.segment[index], default: empty].funnel.append(row) }
    for row in grants { strata[row.key.segment[index], default: empty].grants.append(row) }
    return strata
  }
}
