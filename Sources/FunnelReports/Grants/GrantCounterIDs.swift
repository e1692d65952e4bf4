import FunnelModel

/// A group's answer to a permission.
enum GrantOutcome: Int, CaseIterable, Sendable {
  case granted, limited, provisional, denied, skipped, unanswered, inProgress

  /// Creates the outcome of a last decision.
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

/// The counter IDs and duration IDs of a grants report, by permission.
struct GrantCounterIDs: Sendable {
  let permissionCount: Int
  /// Whether the flow declares the event that opens the system's settings.
  let knowsSettings: Bool

  // Besides the outcomes: prompted, recovered, unprimed, promptedOpen, grantedOpen, and possibly
  // recoveredViaSettings.
  private var countersOfPermission: Int { GrantOutcome.allCases.count + (knowsSettings ? 6 : 5) }

  /// Returns the counter of groups with an outcome.
  func outcome(_ outcome: GrantOutcome, of permission: Int) -> Int {
    permission * countersOfPermission + outcome.rawValue
  }
  /// Returns the counter of groups with a pre-prompt.
  func prompted(_ permission: Int) -> Int { outcome(.granted, of: permission) + GrantOutcome.allCases.count }
  /// Returns the counter of groups that first denied or skipped and granted later, perhaps in part.
  func recovered(_ permission: Int) -> Int { prompted(permission) + 1 }
  /// Returns the counter of groups with a system dialog and no pre-prompt before it. All are in the segment
  /// without values.
  func unprimed(_ permission: Int) -> Int { prompted(permission) + 2 }
  // Open windows are few, so they are cheaper to count than closed ones.
  /// Returns the counter of prompted groups whose window is open.
  func promptedOpen(_ permission: Int) -> Int { prompted(permission) + 3 }
  /// Returns the counter of groups that granted and whose window is open.
  func grantedOpen(_ permission: Int) -> Int { prompted(permission) + 4 }
  /// Returns the counter of recovered groups that were sent to the system's settings, or `nil` if the flow
  /// declares no such event.
  func recoveredViaSettings(_ permission: Int) -> Int? { knowsSettings ? prompted(permission) + 5 : nil }
  var counterCount: Int { permissionCount * countersOfPermission }

  /// Returns the duration from the pre-prompt to the first decision.
  func decisionTime(_ permission: Int) -> Int { permission }
  var durationCount: Int { permissionCount }
}
