import FunnelModel

/// A group's answer to a permission.
enum GrantOutcome: Int, CaseIterable, Sendable {
  case granted, limited, provisional, denied, skipped, unanswered, inProgress

  /// Creates the outcome that a last decision results in.
  init(_ decision: PermissionAction) {
    switch decision {
    case .granted: self = .granted
    case .limited: self = .limited
    case .provisional: self = .provisional
    case .denied: self = .denied
    case .skipped: self = .skipped
    case .other, .prePrompt, .enableTapped, .settingsOpened: self = .unanswered
    }
  }
}

/// The counter and duration numbers of a grants report, by permission.
struct GrantCounterIDs: Sendable {
  let permissionCount: Int
  /// Whether the flow tells when the app sent somebody to the system's settings.
  let knowsSettings: Bool

  private var countersOfPermission: Int { GrantOutcome.allCases.count + (knowsSettings ? 6 : 5) }

  func outcome(_ outcome: GrantOutcome, of permission: Int) -> Int {
    permission * countersOfPermission + outcome.rawValue
  }
  func prompted(_ permission: Int) -> Int { outcome(.granted, of: permission) + GrantOutcome.allCases.count }
  /// Returns the counter of groups that granted, perhaps in part, what they first denied or skipped.
  func recovered(_ permission: Int) -> Int { prompted(permission) + 1 }
  /// Returns the counter of groups with a system dialog and no pre-prompt before it; all are counted in the segment without values.
  func unprimed(_ permission: Int) -> Int { prompted(permission) + 2 }
  /// Returns the counter of prompted groups whose window is open: they are few, so this is cheaper than counting the closed ones.
  func promptedOpen(_ permission: Int) -> Int { prompted(permission) + 3 }
  /// Returns the counter of groups that granted and whose window is open.
  func grantedOpen(_ permission: Int) -> Int { prompted(permission) + 4 }
  /// Returns the counter of the recovered groups that were sent to the system's settings, or nil if the flow does not tell.
  func recoveredViaSettings(_ permission: Int) -> Int? { knowsSettings ? prompted(permission) + 5 : nil }
  var counterCount: Int { permissionCount * countersOfPermission }

  /// Returns the duration from the pre-prompt to the first decision.
  func decisionTime(_ permission: Int) -> Int { permission }
  var durationCount: Int { permissionCount }
}
