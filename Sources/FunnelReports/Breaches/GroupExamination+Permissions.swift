import FunnelModel
import FunnelProjections

/// The events of a group about one permission so far.
struct PermissionRecord {
  /// A decision about the permission.
  struct Decision {
    let action: PermissionAction
    let suffix: PermissionEventName.Suffix
    /// The index of the event.
    let event: Int
  }

  /// The index of the first pre-prompt in the group's events, or `nil` before it.
  private(set) var firstPrompt: Int?
  /// Whether the button that opens the system's dialog was tapped since the last pre-prompt.
  var isEnabled = false
  /// The index of the last event since the last pre-prompt that starts a skip, or `nil` if there is none.
  var skipStart: Int?
  /// The last decision, regardless of pre-prompts, or `nil` before the first.
  private(set) var decision: PermissionAction?
  /// The last decision since the last pre-prompt, or `nil` if there is none.
  private(set) var recent: Decision?
  /// Whether the system's dialog was answered.
  var isAnswered = false
  /// Whether the permission was skipped.
  var isSkipped = false

  /// Records a pre-prompt, which begins another request.
  mutating func recordPrompt(at index: Int) {
    firstPrompt = firstPrompt ?? index
    isEnabled = false
    skipStart = nil
    recent = nil
  }

  mutating func record(_ decision: Decision) {
    self.decision = decision.action
    recent = decision
  }
}

extension GroupExamination {
  /// The maximum time between two equal decisions that count as one, in milliseconds.
  static let repetitionMillisecondsMax: Int64 = 5000

  /// Examines the rules about a permission, and updates its record.
  mutating func examineAnswer(
    _ suffix: PermissionEventName.Suffix, _ detail: EventDetail, to permission: Int, _ index: Int, of events: GroupEvents,
    in contribution: inout Contribution
  ) {
    let action = events[index].action
    let name = projector.permissions[permission].name
    var record = permissions[permission]
    switch action {
    case .enableTapped, .settingsOpened, .other: break
    case .prePrompt:
      if detail.facts.hasProgress {
        note(projector.row(.permissionProgress, name), isBroken: detail.facts.isPermissionOffProgress)
      }
    case .granted, .limited, .denied:
      note(projector.row(.prePromptBeforeDecision, name), isBroken: record.firstPrompt == nil)
      note(projector.row(.dialogAfter, name), isBroken: !record.isEnabled)
      record.isAnswered = true
    // The system grants provisional access without a dialog, which requires no pre-prompt.
    case .provisional: break
    case .skipped: if suffix == .skipped { record.isSkipped = true }
    }
    examineSkip(suffix, index, of: events, name, record, in: &contribution)
    if action.isDecision {
      let decision = PermissionRecord.Decision(action: action, suffix: suffix, event: index)
      examineRepetition(of: record.recent, by: decision, events, name, in: &contribution)
      record.record(decision)
    }
    for case .dialogAfter(let rule) in flow.rules where rule.permissions.contains(name) && rule.button == suffix {
      record.isEnabled = true
    }
    for case .skipDelay(let rule) in flow.rules where rule.permissions.contains(name) && rule.from == suffix {
      record.skipStart = index
    }
    permissions[permission] = record
  }

  private mutating func examineSkip(
    _ suffix: PermissionEventName.Suffix, _ index: Int, of events: GroupEvents, _ name: String, _ record: PermissionRecord,
    in contribution: inout Contribution
  ) {
    for case .skipDelay(let rule) in flow.rules where rule.permissions.contains(name) && rule.to == suffix {
      guard let skipStart = record.skipStart else {
        note(projector.row(.skipDelay, name), isBroken: true)
        continue
      }
      let delay = events.milliseconds(from: skipStart, to: index, contribution.accessTimes())
      note(projector.row(.skipDelay, name), isBroken: delay < Int64(rule.milliseconds))
    }
  }

  /// Examines a decision that may follow another without a pre-prompt between them.
  private mutating func examineRepetition(
    of earlier: PermissionRecord.Decision?, by decision: PermissionRecord.Decision, _ events: GroupEvents, _ name: String,
    in contribution: inout Contribution
  ) {
    var isBroken = false
    if let earlier, !(earlier.suffix == .skipExplained && decision.suffix == .skipped) {
      isBroken = earlier.action != decision.action
      if !isBroken {
        let elapsed = events.milliseconds(from: earlier.event, to: decision.event, contribution.accessTimes())
        isBroken = elapsed > Self.repetitionMillisecondsMax
      }
    }
    note(projector.row(.noSecondDecision, name), isBroken: isBroken)
  }

  /// Records the permissions that the event asks for.
  mutating func notePrompts(of event: EventClass, at index: Int) {
    for (permissionIndex, permission) in projector.permissions.enumerated() {
      let isPrompt = event.action == .prePrompt && event.permission == permissionIndex
      guard isPrompt || event.stepMask & permission.primingSteps != 0 else { continue }
      permissions[permissionIndex].recordPrompt(at: index)
    }
  }
}

extension PermissionAction {
  /// Whether the event decides about the permission.
  fileprivate var isDecision: Bool {
    switch self {
    case .granted, .limited, .provisional, .denied, .skipped: true
    case .other, .prePrompt, .enableTapped, .settingsOpened: false
    }
  }
}
