public import FunnelModel
import FunnelProjections

/// One side of a comparison: the rows that count for it, and what the flow version of these rows has.
///
/// A side may have several rows, whose counts add up: `--sides 1` takes the text `1` and the number 1, and strata have rows of their own.
public struct ComparisonSide: Sendable {
  /// A required step of a flow.
  public struct Step: Hashable, Sendable {
    public var id: String
    public var label: String

    public init(id: String, label: String) {
      self.id = id
      self.label = label
    }
  }

  /// The name in JSON and CSV.
  public var label: String
  /// The name for people.
  public var title: String
  /// The required steps of the flow version, in their order.
  public var steps: [Step]
  /// The permissions of the flow version.
  public var permissions: [String]
  /// The number of groups that are not counted because they are in progress.
  public var inProgress = 0
  /// The number of groups that have the values of several sides.
  public var mixed = 0
  /// The number of entries on each day, or empty if they are not counted by day.
  public var enteredByDay: [CivilDate: Int] = [:]
  /// The first day of the period, or nil if the side is not a period.
  public var firstDay: CivilDate?
  /// The first and the last day on which a counted group began; nil if nobody looked.
  public var days: ClosedRange<CivilDate>? {
    let days = enteredByDay.filter { $0.value > 0 }.keys
    guard let first = days.min(), let last = days.max() else { return nil }
    return first...last
  }
  var funnel: [FunnelRow]
  var grants: [GrantRow]

  public init(
    label: String, title: String? = nil, steps: [Step], permissions: [String], funnel: [FunnelRow], grants: [GrantRow]
  ) {
    self.label = label
    self.title = title ?? label
    self.steps = steps
    self.permissions = permissions
    self.funnel = funnel
    self.grants = grants
  }

  /// Creates the side of the rows of one flow version.
  public init(
    label: String, title: String? = nil, of flow: FlowDefinition, order: StepOrder = .ordered, funnel: [FunnelRow],
    grants: [GrantRow]
  ) {
    let required = flow.requiredSteps
    self.init(
      label: label, title: title,
      steps: required.enumerated().map { index, step in
        Step(
          id: flow.steps[step].id,
          label: StepLabel.text(of: flow.steps[step].label, number: index + 1, of: required.count, order: order))
      },
      permissions: flow.permissions.map(\.name), funnel: funnel, grants: grants)
  }

  /// The number of groups that entered the flow.
  var entered: Int { funnel.reduce(0) { $0 + $1.entered } }

  /// The number of groups that dropped.
  var dropped: Int { funnel.reduce(0) { $0 + $1.dropped } }

  /// The number of groups that dropped, but reached the last step in another way.
  var finishedOutOfOrder: Int { funnel.reduce(0) { $0 + $1.finishedOutOfOrder } }

  /// The counted groups that are in progress.
  var countedInProgress: Int { funnel.reduce(0) { $0 + $1.inProgress } }

  /// The number of counted groups in progress that reached the last step in another way.
  var inProgressOutOfOrder: Int { funnel.reduce(0) { $0 + $1.inProgressOutOfOrder } }

  /// The steps between the first, which every group has entered, and the last, which is conversion.
  var middleSteps: [Step] { Array(steps.dropFirst().dropLast()) }
}

extension ComparisonSide {
  var conversion: ComparedShare { ComparedShare(funnel.reduce(0) { $0 + $1.completed }, of: entered) }

  /// Returns the groups that reached a step, of those that entered, or nil if the flow version does not require the step.
  func reached(_ id: String) -> ComparedShare? {
    guard steps.contains(where: { $0.id == id }) else { return nil }
    let reached = funnel.reduce(0) { sum, row in sum + (row.steps.first { $0.id == id }?.reached ?? 0) }
    return ComparedShare(reached, of: entered)
  }

  /// The shares of a permission.
  struct Answers {
    let granted: ComparedShare
    let access: ComparedShare
    let inDialog: ComparedShare

    /// Whether access was given in another way than by a grant, so that the shares of both differ.
    var hasAccessWithoutGrant: Bool { access.count > granted.count }
  }

  /// Returns the shares of a permission, or nil if the flow version does not ask for it.
  func answers(to permission: String) -> Answers? {
    guard permissions.contains(permission) else { return nil }
    var (prompted, granted, limited, provisional, denied) = (0, 0, 0, 0, 0)
    for row in grants where row.permission == permission {
      prompted += row.prompted
      granted += row.granted
      limited += row.limited
      provisional += row.provisional
      denied += row.denied
    }
    return Answers(
      granted: ComparedShare(granted, of: prompted), access: ComparedShare(granted + limited + provisional, of: prompted),
      inDialog: ComparedShare(granted, of: granted + limited + denied))
  }

  /// Returns the share that a metric is of, by its name, or nil if the side lacks it.
  func share(of metric: String) -> ComparedShare? {
    let parts = metric.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return metric == ComparisonMetric.conversionName ? conversion : nil }
    return switch parts[0] {
    case "reached": reached(parts[1])
    case "grant_rate": answers(to: parts[1])?.granted
    case "access_rate": answers(to: parts[1])?.access
    case "dialog_grant_rate": answers(to: parts[1])?.inDialog
    default: nil
    }
  }

  /// Returns the side's part in each stratum, by the value that all rows have at an index of their segments.
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
