import FunnelModel

/// A permission of a flow, with the later steps and permissions that indicate that a group passed it without a
/// decision.
struct FlowPermission: Sendable {
  let name: String
  /// The meaning of a grant, or `nil` if the system discloses the answer.
  let note: String?
  /// The steps after the one that asks for the permission, as a set of step indices.
  let laterSteps: UInt64
  /// The steps whose entry is a pre-prompt of the permission, as a set of step indices.
  let primingSteps: UInt64
  /// The permissions that the same step asks for after this one, as a set of indices into the flow's permissions.
  let furtherPermissions: UInt64

  /// Returns the permissions of a flow, in their order.
  static func all(of flow: FlowDefinition) -> [FlowPermission] {
    let permissions = flow.permissions
    return permissions.map { name, step in
      let asks = flow.steps[step].asks
      let further = asks[(asks.firstIndex(of: name).map { $0 + 1 } ?? 0)...]
      return FlowPermission(
        name: name,
        note: note(on: name, in: flow),
        laterSteps: flow.steps.indices.reduce(0) { $1 > step ? $0 | 1 << UInt64($1) : $0 },
        primingSteps: flow.steps.indices.reduce(0) { flow.steps[$1].primes.contains(name) ? $0 | 1 << UInt64($1) : $0 },
        furtherPermissions: permissions.indices.reduce(0) {
          permissions[$1].name != name && further.contains(permissions[$1].name) ? $0 | 1 << UInt64($1) : $0
        })
    }
  }

  private static func note(on permission: String, in flow: FlowDefinition) -> String? {
    for case .grantUndisclosed(let rule) in flow.rules where rule.permission == permission { return rule.note }
    return nil
  }
}
