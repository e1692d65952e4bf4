public import FunnelModel
import FunnelProjections

/// One side of a comparison: the rows that count for it, and what the flow version of these rows has.
///
/// A side may have several rows, whose counts add up: `--sides 1,2` takes the text `1` for the number 1.
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

  public var label: String
  /// The required steps of the flow version, without the first, which every group has entered.
  public var steps: [Step]
  /// The permissions of the flow version.
  public var permissions: [String]
  var funnel: [FunnelRow]
  var grants: [GrantRow]

  public init(label: String, steps: [Step], permissions: [String], funnel: [FunnelRow], grants: [GrantRow]) {
    self.label = label
    self.steps = steps
    self.permissions = permissions
    self.funnel = funnel
    self.grants = grants
  }

  /// Creates the side of the rows of one flow version.
  public init(label: String, of flow: FlowDefinition, funnel: [FunnelRow], grants: [GrantRow]) {
    self.init(
      label: label,
      steps: flow.requiredSteps.dropFirst().map { Step(id: flow.steps[$0].id, label: flow.steps[$0].label) },
      permissions: flow.permissions.map(\.name), funnel: funnel, grants: grants)
  }

  /// The number of groups that entered the flow.
  var entered: Int { funnel.reduce(0) { $0 + $1.entered } }
}

extension ComparisonSide {
  var conversion: ComparedShare { ComparedShare(funnel.reduce(0) { $0 + $1.completed }, of: entered) }

  /// Returns the groups that reached a step, of those that entered, or nil if the flow version does not require the step.
  func reached(_ id: String) -> ComparedShare? {
    guard steps.contains(where: { $0.id == id }) else { return nil }
    let reached = funnel.reduce(0) { sum, row in sum + (row.steps.first { $0.id == id }?.reached ?? 0) }
    return ComparedShare(reached, of: entered)
  }

  /// Returns the shares of a permission, or nil if the flow version does not ask for it.
  func answers(to permission: String) -> (granted: ComparedShare, access: ComparedShare, inDialog: ComparedShare)? {
    guard permissions.contains(permission) else { return nil }
    var (prompted, granted, limited, provisional, denied) = (0, 0, 0, 0, 0)
    for row in grants where row.permission == permission {
      prompted += row.prompted
      granted += row.granted
      limited += row.limited
      provisional += row.provisional
      denied += row.denied
    }
    return (
      ComparedShare(granted, of: prompted), ComparedShare(granted + limited + provisional, of: prompted),
      ComparedShare(granted, of: granted + limited + denied)
    )
  }
}
