import FunnelHistories
import FunnelModel
import FunnelProjections

/// The events about one permission in one group. Valid only if the permission was prompted.
struct PermissionEvents: Sendable {
  /// The index of the group's first pre-prompt.
  var prompt = 0
  /// The time of the first pre-prompt, in milliseconds since the epoch.
  var milliseconds: Int64 = 0
  /// The last moment of the window that starts with the pre-prompt, in milliseconds since the epoch.
  var deadline: Int64 = 0
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
}

/// The answers of one group to the permissions of a flow, as sets of permission indices.
struct PermissionAnswers {
  /// The permissions with a pre-prompt, in or outside of the period.
  var prompted: UInt64 = 0
  /// The permissions that the group passed in the flow without a decision.
  var wentOn: UInt64 = 0
  /// The permissions whose first system dialog is in the period and before any pre-prompt.
  var unprimed: UInt64 = 0

  /// Returns the outcome of a prompted permission, or `nil` if there is none: the permission is then in
  /// progress while the window is open, and unanswered afterwards.
  func outcome(of permission: Int, _ events: PermissionEvents) -> GrantOutcome? {
    if events.firstDecision != nil { return GrantOutcome(events.lastDecision) }
    guard wentOn >> UInt64(permission) & 1 == 1 else { return nil }
    // A group that opened the system's dialog and continued without an answer dismissed it.
    return events.askedForDialog ? .denied : .skipped
  }
}

/// Determines the answers of groups to the permissions of a flow.
struct PermissionReading: Sendable {
  let query: FlowQuery
  let permissions: [FlowPermission]
  /// The steps whose entry is a pre-prompt of some permission.
  private let primingSteps: UInt64

  init(_ query: FlowQuery) {
    self.query = query
    permissions = FlowPermission.all(of: query.flow)
    primingSteps = permissions.reduce(0) { $0 | $1.primingSteps }
  }

  /// Calls a closure with the answers of a group and the events about each permission. The buffer is valid only
  /// during the call.
  func withAnswers(
    in events: UnsafeBufferPointer<FlowEvent>, _ body: (PermissionAnswers, UnsafeBufferPointer<PermissionEvents>) -> Void
  ) {
    withUnsafeTemporaryAllocation(of: PermissionEvents.self, capacity: permissions.count) { permissionEvents in
      permissionEvents.initialize(repeating: PermissionEvents())
      body(answers(in: events, permissionEvents: permissionEvents), UnsafeBufferPointer(permissionEvents))
    }
  }

  /// Returns the answers of a group in one pass over its events.
  private func answers(
    in events: UnsafeBufferPointer<FlowEvent>, permissionEvents: UnsafeMutableBufferPointer<PermissionEvents>
  ) -> PermissionAnswers {
    var answers = PermissionAnswers()
    // The permissions that are prompted, but neither decided nor passed.
    var waiting: UInt64 = 0
    // The permissions whose dialog was answered.
    var answered: UInt64 = 0
    // The permissions with a decision.
    var decided: UInt64 = 0
    // The permissions whose settings were opened after a decision, without another pre-prompt since.
    var inSettings: UInt64 = 0
    for index in events.indices {
      let event = events[index]
      let permission = Int(event.kind.permission)
      let isAboutPermission = event.kind.action != .other && permission < permissions.count
      let bit: UInt64 = isAboutPermission ? 1 << UInt64(permission) : 0
      var prompted = event.kind.action == .prePrompt ? bit : 0
      if event.kind.stepMask & primingSteps != 0 { prompted |= permissionsPrimed(by: event.kind.stepMask) }
      if waiting != 0, event.kind.stepMask != 0 || prompted != 0 {
        recordPassed(by: event, prompting: prompted, permissionEvents: permissionEvents, waiting: &waiting, answers: &answers)
      }
      // An event that both answers and prompts answers an earlier pre-prompt.
      if isAboutPermission, event.kind.action != .prePrompt {
        if event.kind.action.isDialogAnswer {
          let isUnprimed = (answered | answers.prompted) & bit == 0 && query.span.contains(event.milliseconds)
          if isUnprimed { answers.unprimed |= bit }
          answered |= bit
        }
        if answers.prompted & bit != 0, event.milliseconds <= permissionEvents[permission].deadline {
          record(event.kind.action, at: index, of: &permissionEvents[permission])
          if event.kind.action != .enableTapped {
            waiting &= ~bit
            decided |= bit
            permissionEvents[permission].isDecidedInSettings = inSettings & bit != 0
          }
        }
      }
      if event.kind.action == .settingsOpened { inSettings |= decided }
      guard prompted != 0 else { continue }
      inSettings &= ~prompted
      let first = prompted & ~answers.prompted
      answers.prompted |= first
      waiting |= first
      var remaining = first
      while remaining != 0 {
        permissionEvents[remaining.trailingZeroBitCount] = PermissionEvents(
          prompt: index, milliseconds: event.milliseconds, deadline: query.clock.deadline(from: event.milliseconds))
        remaining &= remaining - 1
      }
    }
    return answers
  }

  /// Returns the prompted permissions whose first pre-prompt is in the period.
  func countedPermissions(_ answers: PermissionAnswers, _ permissionEvents: UnsafeBufferPointer<PermissionEvents>) -> UInt64 {
    var counted = answers.prompted
    var remaining = answers.prompted
    while remaining != 0 {
      let permission = remaining.trailingZeroBitCount
      remaining &= remaining - 1
      if !query.span.contains(permissionEvents[permission].milliseconds) { counted &= ~(1 << UInt64(permission)) }
    }
    return counted
  }

  /// Returns the permissions for which entering one of the steps is a pre-prompt.
  private func permissionsPrimed(by steps: UInt64) -> UInt64 {
    permissions.indices.reduce(0) { permissions[$1].primingSteps & steps != 0 ? $0 | 1 << UInt64($1) : $0 }
  }

  /// Records an event about a prompted permission within its window.
  @inline(__always)
  private func record(_ action: PermissionAction, at index: Int, of events: inout PermissionEvents) {
    guard action != .enableTapped else {
      events.askedForDialog = true
      return
    }
    if events.firstDecision == nil { events.firstDecision = (index, action) }
    events.lastDecision = action
  }

  /// Records which of the waiting permissions an event passes without a decision.
  @inline(__always)
  private func recordPassed(
    by event: FlowEvent, prompting prompted: UInt64, permissionEvents: UnsafeMutableBufferPointer<PermissionEvents>,
    waiting: inout UInt64,
    answers: inout PermissionAnswers
  ) {
    var remaining = waiting
    while remaining != 0 {
      let permission = remaining.trailingZeroBitCount
      let bit: UInt64 = 1 << UInt64(permission)
      remaining &= ~bit
      if event.milliseconds > permissionEvents[permission].deadline {
        waiting &= ~bit
      } else if event.kind.stepMask & permissions[permission].laterSteps != 0
        || prompted & permissions[permission].furtherPermissions != 0
      {
        waiting &= ~bit
        answers.wentOn |= bit
      }
    }
  }
}

extension PermissionAction {
  /// Whether the action is an answer to the system's dialog.
  fileprivate var isDialogAnswer: Bool {
    switch self {
    case .granted, .limited, .denied: true
    case .other, .prePrompt, .provisional, .skipped, .enableTapped, .settingsOpened: false
    }
  }
}
