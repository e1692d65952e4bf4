import FunnelHistories
import FunnelModel
import FunnelProjections

/// The events about one permission in one group. Valid only if the permission was prompted.
struct PermissionEvents: Sendable {
  /// The index of the group's first pre-prompt.
  var prompt = 0
  /// The time of the first pre-prompt, in milliseconds since the epoch.
  var milliseconds: Int64 = 0
  /// The last moment of the window that opens with the pre-prompt, in milliseconds since the epoch.
  var deadline: Int64 = 0
  /// The first decision in the window: the index of its event, and the decision.
  var firstDecision: (event: Int, action: PermissionAction)?
  /// The last decision, if there is a first.
  var lastDecision = PermissionAction.other
  /// Whether the button that shows the system's dialog was tapped in the window.
  var askedForDialog = false
  /// Whether the app sent the user to the system's settings before the last decision, and did not ask again in between.
  var isDecidedInSettings = false

  /// Whether the group first denied or skipped, and gave access in the end.
  var isRecovered: Bool {
    guard let first = firstDecision?.action, first == .denied || first == .skipped else { return false }
    return lastDecision == .granted || lastDecision == .limited
  }
}

/// The answers of one group to the permissions of a flow, as sets of permissions.
struct PermissionAnswers {
  /// The permissions with a pre-prompt, also one outside the time range.
  var prompted: UInt64 = 0
  /// The permissions that the group passed in the flow without a decision.
  var wentOn: UInt64 = 0
  /// The permissions of which the first system dialog is in the time range and comes before any pre-prompt.
  var unprimed: UInt64 = 0

  /// Returns the outcome of a prompted permission; nil if there is none yet: then it is unanswered or, while the window is open, in progress.
  func outcome(of permission: Int, _ events: PermissionEvents) -> GrantOutcome? {
    if events.firstDecision != nil { return GrantOutcome(events.lastDecision) }
    guard wentOn >> UInt64(permission) & 1 == 1 else { return nil }
    // A group that asked for the system's dialog and went on without an answer has dismissed it.
    return events.askedForDialog ? .denied : .skipped
  }
}

/// Reads how a group answers the permissions of its flow.
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

  /// Calls `body` with the answers of a group, and with the events about each permission.
  func withAnswers(
    in events: UnsafeBufferPointer<FlowEvent>, _ body: (PermissionAnswers, UnsafeBufferPointer<PermissionEvents>) -> Void
  ) {
    withUnsafeTemporaryAllocation(of: PermissionEvents.self, capacity: permissions.count) { runs in
      runs.initialize(repeating: PermissionEvents())
      body(answers(in: events, runs: runs), UnsafeBufferPointer(runs))
    }
  }

  /// Reads a group's events once and records the answers to each permission.
  private func answers(
    in events: UnsafeBufferPointer<FlowEvent>, runs: UnsafeMutableBufferPointer<PermissionEvents>
  ) -> PermissionAnswers {
    var answers = PermissionAnswers()
    // The permissions prompted but neither decided nor passed.
    var waiting: UInt64 = 0
    // The permissions whose dialog was answered.
    var answered: UInt64 = 0
    // The permissions that were decided once, and for which the user went to the settings since and was not asked again.
    var (decided, inSettings): (UInt64, UInt64) = (0, 0)
    for index in events.indices {
      let event = events[index]
      let permission = Int(event.kind.permission)
      let speaks = event.kind.action != .other && permission < permissions.count
      let bit: UInt64 = speaks ? 1 << UInt64(permission) : 0
      var prompted = event.kind.action == .prePrompt ? bit : 0
      if event.kind.stepMask & primingSteps != 0 { prompted |= permissionsPrimed(by: event.kind.stepMask) }
      if waiting != 0, event.kind.stepMask != 0 || prompted != 0 {
        goOn(at: event, prompting: prompted, runs: runs, waiting: &waiting, answers: &answers)
      }
      // An event that both answers and prompts answers an earlier pre-prompt.
      if speaks, event.kind.action != .prePrompt {
        if event.kind.action.isDialogAnswer {
          let isUnprimed = (answered | answers.prompted) & bit == 0 && query.span.contains(event.milliseconds)
          if isUnprimed { answers.unprimed |= bit }
          answered |= bit
        }
        if answers.prompted & bit != 0, event.milliseconds <= runs[permission].deadline {
          note(event.kind.action, at: index, of: &runs[permission])
          if event.kind.action != .enableTapped {
            waiting &= ~bit
            decided |= bit
            runs[permission].isDecidedInSettings = inSettings & bit != 0
          }
        }
      }
      if event.kind.action == .settingsOpened { inSettings |= decided }
      guard prompted != 0 else { continue }
      inSettings &= ~prompted
      let first = prompted & ~answers.prompted
      answers.prompted |= first
      waiting |= first
      var rest = first
      while rest != 0 {
        runs[rest.trailingZeroBitCount] = PermissionEvents(
          prompt: index, milliseconds: event.milliseconds, deadline: query.clock.deadline(from: event.milliseconds))
        rest &= rest - 1
      }
    }
    return answers
  }

  /// Returns the permissions that count in the time range: those whose first pre-prompt is in it.
  func countedPermissions(_ answers: PermissionAnswers, _ runs: UnsafeBufferPointer<PermissionEvents>) -> UInt64 {
    var (counted, rest) = (answers.prompted, answers.prompted)
    while rest != 0 {
      let permission = rest.trailingZeroBitCount
      rest &= rest - 1
      if !query.span.contains(runs[permission].milliseconds) { counted &= ~(1 << UInt64(permission)) }
    }
    return counted
  }

  /// Returns the permissions for which entering one of the steps is a pre-prompt.
  private func permissionsPrimed(by steps: UInt64) -> UInt64 {
    permissions.indices.reduce(0) { permissions[$1].primingSteps & steps != 0 ? $0 | 1 << UInt64($1) : $0 }
  }

  @inline(__always)
  private func note(_ action: PermissionAction, at index: Int, of run: inout PermissionEvents) {
    guard action != .enableTapped else {
      run.askedForDialog = true
      return
    }
    if run.firstDecision == nil { run.firstDecision = (index, action) }
    run.lastDecision = action
  }

  /// Records which of the waiting permissions an event passes without a decision.
  @inline(__always)
  private func goOn(
    at event: FlowEvent, prompting prompted: UInt64, runs: UnsafeMutableBufferPointer<PermissionEvents>,
    waiting: inout UInt64,
    answers: inout PermissionAnswers
  ) {
    var rest = waiting
    while rest != 0 {
      let permission = rest.trailingZeroBitCount
      let bit: UInt64 = 1 << UInt64(permission)
      rest &= ~bit
      if event.milliseconds > runs[permission].deadline {
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
