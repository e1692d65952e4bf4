import FunnelModel

/// A permission of a flow, with the later steps and permissions that indicate that a group passed it without a
/// decision.
struct FlowPermission: Sendable {
  let name: String
  /// The meaning of a grant, or `nil` if the system discloses the answer.
  let note: String?
  /// The steps after the one that asks for the permission, as a bit mask.
  let laterSteps: UInt64
  /// The steps whose entry is a pre-prompt of the permission, as a bit mask.
  let primingSteps: UInt64
  /// The permissions that the same step asks for after this one.
  let furtherPermissions: PermissionSet

  /// Returns the permissions of a flow, in their order.
  static func all(of flow: FlowDefinition) -> [FlowPermission] {
    let names = flow.permissions.map(\.name)
    return flow.permissions.map { name, step in
      let asked = flow.steps[step].asks
      let further = asked[(asked.firstIndex(of: name).map { $0 + 1 } ?? 0)...]
      return FlowPermission(
        name: name, note: note(on: name, in: flow),
        laterSteps: mask(of: flow.steps.indices) { $0 > step },
        primingSteps: mask(of: flow.steps.indices) { flow.steps[$0].permissionsPrimedOnEntry.contains(name) },
        furtherPermissions: PermissionSet(names.indices) { names[$0] != name && further.contains(names[$0]) })
    }
  }

  /// Returns the steps that satisfy a condition as a bit mask.
  private static func mask(of steps: Range<Int>, where isIncluded: (Int) -> Bool) -> UInt64 {
    precondition(steps.upperBound <= UInt64.bitWidth, "a flow has at most 64 steps")
    return steps.reduce(0) { isIncluded($1) ? $0 | 1 << UInt64($1) : $0 }
  }

  private static func note(on permission: String, in flow: FlowDefinition) -> String? {
    for case .grantUndisclosed(let rule) in flow.rules where rule.permission == permission { return rule.note }
    return nil
  }
}
