import FunnelModel

/// How a group answered a permission.
enum GrantOutcome: Int, CaseIterable, Sendable {
  case granted, limited, denied, skipped, unanswered, inProgress

  /// The outcome a last decision stands for.
  init(_ decision: PermissionAction) {
    switch decision {
    case .granted: self = .granted
    case .limited: self = .limited
    case .denied: self = .denied
    case .skipped: self = .skipped
    case .other, .prePrompt, .enableTapped: self = .unanswered
    }
  }
}

/// The counters and durations of grants, by permission.
struct GrantSlots: Sendable {
  let counterBase: Int
  let durationBase: Int
  let permissionCount: Int

  private static let countersOfPermission = GrantOutcome.allCases.count + 5

  func outcome(_ outcome: GrantOutcome, of permission: Int) -> Int {
    counterBase + permission * Self.countersOfPermission + outcome.rawValue
  }
  func prompted(_ permission: Int) -> Int { outcome(.granted, of: permission) + GrantOutcome.allCases.count }
  /// Groups that granted, perhaps in part, what they first denied or skipped.
  func recovered(_ permission: Int) -> Int { prompted(permission) + 1 }
  /// Groups with a system dialog and no pre-prompt before it; all of them are counted in the sheet without values.
  func unprimed(_ permission: Int) -> Int { prompted(permission) + 2 }
  /// Of those prompted, and of those who granted, the groups whose window is open: few, so that counting them costs little.
  func promptedOpen(_ permission: Int) -> Int { prompted(permission) + 3 }
  func grantedOpen(_ permission: Int) -> Int { prompted(permission) + 4 }
  var counterCount: Int { permissionCount * Self.countersOfPermission }

  /// Time from the pre-prompt to the first decision.
  func decisionTime(_ permission: Int) -> Int { durationBase + permission }
  var durationCount: Int { permissionCount }
}
