import FunnelJourneys
import FunnelModel

/// What happened to one permission in one group. Valid only where the permission was prompted.
struct PermissionRun: Sendable {
  /// The index of the first pre-prompt in the time range.
  var prompt = 0
  /// The last moment of the window that opens with it.
  var deadline: Int64 = 0
  /// The first decision in the window: the index of its event, and what it says.
  var firstDecision: (event: Int, action: PermissionAction)?
  /// What the last decision says, where there is a first.
  var lastDecision = PermissionAction.other
}

/// What happened to the permissions of a flow in one group: sets of permissions.
struct PermissionAnswers {
  /// With a pre-prompt in the time range.
  var prompted: UInt64 = 0
  /// Whose group went on in the flow without a decision.
  var wentOn: UInt64 = 0
  /// With a system dialog before any pre-prompt.
  var unprimed: UInt64 = 0
}

extension GrantsProjector {
  /// Reads a group's events once and notes what happened to each permission.
  func answers(
    in events: UnsafeBufferPointer<JourneyEvent>, runs: UnsafeMutableBufferPointer<PermissionRun>
  ) -> PermissionAnswers {
    var answers = PermissionAnswers()
    // Prompted at any time; and prompted, but neither decided nor gone on from.
    var (primed, waiting): (UInt64, UInt64) = (0, 0)
    for index in events.indices {
      let event = events[index]
      let permission = Int(event.kind.permission)
      let speaks = event.kind.action != .other && permission < permissions.count
      let bit: UInt64 = speaks ? 1 << UInt64(permission) : 0
      let prompted = event.kind.action == .prePrompt ? bit : 0
      if waiting != 0, event.kind.stepMask != 0 || prompted != 0 {
        goOn(at: event, prompting: prompted, runs: runs, waiting: &waiting, answers: &answers)
      }
      guard speaks else { continue }
      if prompted != 0 {
        primed |= bit
        guard answers.prompted & bit == 0, span.contains(event.milliseconds) else { continue }
        answers.prompted |= bit
        waiting |= bit
        runs[permission] = PermissionRun(prompt: index, deadline: clock.deadline(from: event.milliseconds))
        continue
      }
      if primed & bit == 0, event.kind.action != .skipped, span.contains(event.milliseconds) { answers.unprimed |= bit }
      guard answers.prompted & bit != 0, event.milliseconds <= runs[permission].deadline else { continue }
      if runs[permission].firstDecision == nil { runs[permission].firstDecision = (index, event.kind.action) }
      runs[permission].lastDecision = event.kind.action
      waiting &= ~bit
    }
    return answers
  }

  /// Notes which of the waiting permissions an event leaves behind.
  @inline(__always)
  private func goOn(
    at event: JourneyEvent, prompting prompted: UInt64, runs: UnsafeMutableBufferPointer<PermissionRun>, waiting: inout UInt64,
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
