import FunnelJourneys
import FunnelModel

/// What happened to one permission in one group. Valid only where the permission was prompted.
struct PermissionRun: Sendable {
  /// The index of the first pre-prompt in the time range.
  var prompt = 0
  /// The end of the window that opens with it.
  var deadline = Deadline(from: 0, window: 0)
  /// The first decision and the last; equal where there is one, `.other` where there is none.
  var firstDecision = PermissionAction.other
  var lastDecision = PermissionAction.other
  /// Time from the pre-prompt to the first decision, in milliseconds.
  var decisionTime: Int64 = 0
}

/// What happened to the permissions of a flow in one group: sets of permissions.
struct PermissionAnswers {
  /// With a pre-prompt in the time range.
  var prompted: UInt64 = 0
  /// With a decision after it.
  var decided: UInt64 = 0
  /// Whose group went on in the flow without a decision.
  var wentOn: UInt64 = 0
  /// With a system dialog before any pre-prompt.
  var unprimed: UInt64 = 0
}

extension GrantsProjector {
  /// Reads a journey once and notes what happened to each permission.
  func answers(in journey: Journey, runs: UnsafeMutableBufferPointer<PermissionRun>) -> PermissionAnswers {
    let events = journey.events
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
        runs[permission] = PermissionRun(prompt: index, deadline: Deadline(from: event.milliseconds, window: window))
        continue
      }
      if primed & bit == 0, event.kind.action != .skipped, span.contains(event.milliseconds) { answers.unprimed |= bit }
      guard answers.prompted & bit != 0, event.milliseconds <= runs[permission].deadline.milliseconds else { continue }
      if answers.decided & bit == 0 {
        runs[permission].firstDecision = event.kind.action
        runs[permission].decisionTime = event.milliseconds - events[runs[permission].prompt].milliseconds
      }
      runs[permission].lastDecision = event.kind.action
      answers.decided |= bit
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
      if event.milliseconds > runs[permission].deadline.milliseconds {
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
