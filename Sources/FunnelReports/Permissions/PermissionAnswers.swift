import FunnelModel

/// A group's answer to a permission, with its name in the grants report.
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

  /// The state of groups with the outcome, whose name is that of the field in the grants report.
  var state: GroupState {
    switch self {
    case .granted: .granted
    case .limited: .limited
    case .provisional: .provisional
    case .denied: .denied
    case .skipped: .skipped
    case .unanswered: .unanswered
    case .inProgress: .inProgress
    }
  }
}

/// The events about one permission in one group. Valid only if the permission was prompted.
struct PermissionEvents {
  /// The index of the group's first pre-prompt, which opens the conversion window.
  var prompt = 0
  /// The first decision in the window, with the index of its event, or `nil` if there is none.
  var firstDecision: (event: Int, action: PermissionAction)?
  /// The last decision. Valid only if there is a first one.
  var lastDecision = PermissionAction.other
  /// Whether the button that shows the system's dialog was tapped in the window.
  var askedForDialog = false
  /// Whether the app opened the system's settings before the last decision, without another pre-prompt in between.
  var isDecidedInSettings = false

  /// Whether the first decision was a denial or a skip, and the last one granted full or limited access.
  var isRecovered: Bool {
    guard let first = firstDecision?.action, first == .denied || first == .skipped else { return false }
    return lastDecision == .granted || lastDecision == .limited
  }

  /// Records an event about the permission within the window of its pre-prompt.
  @inline(__always)
  mutating func record(_ action: PermissionAction, at index: Int) {
    assert(index >= prompt, "an answer comes after its pre-prompt")
    guard action != .enableTapped else {
      askedForDialog = true
      return
    }
    if firstDecision == nil { firstDecision = (index, action) }
    lastDecision = action
  }
}

/// The answers of one group to the permissions of a flow.
struct PermissionAnswers {
  /// The permissions with a pre-prompt, in or outside of the period.
  var prompted = PermissionSet()
  /// The prompted permissions whose first pre-prompt is in the period. A report counts only these.
  var counted = PermissionSet()
  /// The permissions that the group passed in the flow without a decision.
  var passed = PermissionSet()
  /// The permissions whose first system dialog is in the period and before any pre-prompt.
  var unprimed = PermissionSet()

  /// Returns the outcome of a prompted permission, or `nil` if there is none: the permission is then in
  /// progress while the window is open, and unanswered afterwards.
  func outcome(of permission: Int, _ events: PermissionEvents) -> GrantOutcome? {
    assert(prompted.contains(permission), "only a prompted permission has an outcome")
    if events.firstDecision != nil { return GrantOutcome(events.lastDecision) }
    guard passed.contains(permission) else { return nil }
    // A group that opened the system's dialog and continued without an answer dismissed it.
    return events.askedForDialog ? .denied : .skipped
  }
}
