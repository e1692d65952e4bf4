import FunnelSequences
import FunnelModel
import FunnelProjections

/// Examines the events of one group in order, and records which rules apply to them and which rules they break.
struct GroupExamination {
  /// Whether the group has an event that the rule applies to, by row of the report.
  private(set) var isChecked: [Bool]
  /// Whether the group breaks the rule, by row of the report.
  private(set) var isBroken: [Bool]

  /// The rows whose rules the last examined event breaks.
  private(set) var brokenByLast: [Int] = []

  private let projector: BreachesProjector
  private let flow: FlowDefinition
  /// The first required step, as a bit mask.
  private let firstStepMask: UInt64
  /// The last required step, as a bit mask.
  private let lastStepMask: UInt64
  private var permissions: [PermissionRecord]
  /// Whether the group has an event that starts the flow.
  private var hasStarted = false
  /// Whether the group entered the last required step.
  private var isCompleted = false

  /// The maximum time between two equal decisions that count as one, in milliseconds.
  static let repetitionMillisecondsMax: Int64 = 5000

  /// The events of a group about one permission so far.
  private struct PermissionRecord {
    /// The index of the first pre-prompt in the group's events, or `nil` before it.
    var firstPrompt: Int?
    /// Whether the button that opens the system's dialog was tapped since the last pre-prompt.
    var isEnabled = false
    /// The time of the last event since the last pre-prompt that starts a skip, in milliseconds, or `nil` if
    /// there is none.
    var skipStart: Int64?
    /// The last decision, regardless of pre-prompts, or `nil` before the first.
    var decision: PermissionAction?
    /// The last decision since the last pre-prompt, or `nil` if there is none.
    var recent: (action: PermissionAction, suffix: PermissionEventName.Suffix, milliseconds: Int64)?
    /// Whether the system's dialog was answered.
    var isAnswered = false
    /// Whether the permission was skipped.
    var isSkipped = false
  }

  init(_ projector: BreachesProjector) {
    self.projector = projector
    flow = projector.query.flow
    isChecked = Array(repeating: false, count: projector.checks.count)
    isBroken = isChecked
    permissions = Array(repeating: PermissionRecord(), count: projector.permissions.count)
    let required = flow.requiredSteps
    firstStepMask = required.first.map { 1 << UInt64($0) } ?? 0
    lastStepMask = required.last.map { 1 << UInt64($0) } ?? 0
  }

  /// Records that a rule applies to an event, and whether the event breaks it. Does nothing without a row.
  private mutating func note(_ row: Int?, isBroken: Bool = false) {
    guard let row else { return }
    assert(isChecked.indices.contains(row), "the report has a row \(row)")
    isChecked[row] = true
    guard isBroken else { return }
    self.isBroken[row] = true
    if !brokenByLast.contains(row) { brokenByLast.append(row) }
  }

  /// Examines the next event of the group. Events must be passed in order.
  mutating func examine(_ event: FlowEvent, at index: Int, in contribution: inout Contribution) {
    brokenByLast.removeAll(keepingCapacity: true)
    guard let detail = contribution.detail(of: event) else {
      preconditionFailure("breaches are counted of events with details")
    }
    examineFacts(of: event, detail, at: index, in: &contribution)
    if event.kind.stepMask != 0 { examineEntries(of: event, detail) }
    if let permission = event.kind.permission, permission < permissions.count, let suffix = detail.suffix {
      examineAnswer(suffix, event, permission, in: &contribution)
    }
    notePrompts(of: event, at: index)
    if event.kind.stepMask & lastStepMask != 0 { isCompleted = true }
  }

  /// Examines the rules that depend only on the properties or the name of the event.
  private mutating func examineFacts(
    of event: FlowEvent, _ detail: EventDetail, at index: Int, in contribution: inout Contribution
  ) {
    let facts = detail.facts
    if facts.namesVersion { note(projector.row(.knownStep), isBroken: detail.stepIndex == nil) }
    if let step = detail.stepIndex, detail.stepEvent == .skipped {
      note(projector.row(.skippable, flow.steps[step].id), isBroken: true)
    }
    if let step = detail.stepIndex, detail.stepEvent == .back {
      note(projector.row(.backFrom, flow.steps[step].id), isBroken: true)
    }
    for (ruleIndex, rule) in flow.rules.enumerated() {
      let bit: UInt64 = 1 << UInt64(ruleIndex)
      let isContradicted = facts.contradicted & bit != 0
      switch rule {
      case .startTrigger(let rule) where rule.event == detail.name:
        var isBroken = false
        if facts.concerned & bit != 0 { isBroken = facts.laterStarts & bit != 0 ? isCompleted || !hasStarted : hasStarted }
        note(projector.row(.startTrigger), isBroken: isBroken)
        hasStarted = true
      case .minItems(let rule) where facts.concerned & bit != 0:
        note(projector.row(.minItems, rule.step), isBroken: isContradicted)
      case .maxItems(let rule) where facts.concerned & bit != 0:
        note(projector.row(.maxItems, rule.step), isBroken: isContradicted)
      case .failureReason where facts.concerned & bit != 0: note(projector.row(.failureReason), isBroken: isContradicted)
      case .autoVerifyAfter where facts.concerned & bit != 0:
        note(projector.row(.autoVerifyAfter), isBroken: contribution.eventsAgainstOtherGroups.contains(index))
        contribution.noteDependsOnTimes()
      default: break
      }
    }
  }

  /// Examines the rules about the steps that the event enters.
  private mutating func examineEntries(of event: FlowEvent, _ detail: EventDetail) {
    let mask = event.kind.stepMask
    if mask & firstStepMask != 0 { note(projector.row(.notAfterCompletion), isBroken: isCompleted) }
    for (index, step) in flow.steps.enumerated() where mask >> UInt64(index) & 1 == 1 {
      if detail.facts.hasProgress {
        note(projector.row(.progress, step.id), isBroken: detail.facts.stepsOffProgress >> UInt64(index) & 1 == 1)
      }
      for rule in flow.rules {
        switch rule {
        case .onlyIfAllGranted(let rule) where rule.step == step.id:
          note(
            projector.row(.onlyIfAllGranted, step.id),
            isBroken: records(of: rule.permissions).contains { $0.decision != .granted })
        case .advanceWhenAllHandled(let rule) where rule.nextStep == step.id:
          note(projector.row(.advanceWhenAllHandled), isBroken: records(of: rule.permissions).contains { $0.decision == nil })
        default: break
        }
      }
    }
  }

  private func records(of names: [String]) -> [PermissionRecord] {
    names.compactMap { name in projector.permissions.firstIndex { $0.name == name }.map { permissions[$0] } }
  }

  /// Examines the rules about a permission, and updates its record.
  private mutating func examineAnswer(
    _ suffix: PermissionEventName.Suffix, _ event: FlowEvent, _ permission: Int, in contribution: inout Contribution
  ) {
    let name = projector.permissions[permission].name
    var record = permissions[permission]
    switch event.kind.action {
    case .enableTapped, .settingsOpened, .other: break
    case .prePrompt:
      if isProgressKnown(event, contribution) {
        note(
          projector.row(.permissionProgress, name),
          isBroken: contribution.detail(of: event)?.facts.isPermissionOffProgress ?? false)
      }
    case .granted, .limited, .denied:
      note(projector.row(.prePromptBeforeDecision, name), isBroken: record.firstPrompt == nil)
      note(projector.row(.dialogAfter, name), isBroken: !record.isEnabled)
      record.isAnswered = true
    // The system grants provisional access without a dialog, which requires no pre-prompt.
    case .provisional: break
    case .skipped: if suffix == .skipped { record.isSkipped = true }
    }
    examineSkip(suffix, event, name, record, in: &contribution)
    if event.kind.action.isDecision {
      examineRepetition(suffix, event, name, record, in: &contribution)
      record.decision = event.kind.action
      record.recent = (event.kind.action, suffix, event.milliseconds)
    }
    for case .dialogAfter(let rule) in flow.rules where rule.permissions.contains(name) && rule.button == suffix {
      record.isEnabled = true
    }
    for case .skipDelay(let rule) in flow.rules where rule.permissions.contains(name) && rule.from == suffix {
      record.skipStart = event.milliseconds
    }
    permissions[permission] = record
  }

  private func isProgressKnown(_ event: FlowEvent, _ contribution: Contribution) -> Bool {
    contribution.detail(of: event)?.facts.hasProgress ?? false
  }

  private mutating func examineSkip(
    _ suffix: PermissionEventName.Suffix, _ event: FlowEvent, _ name: String, _ record: PermissionRecord,
    in contribution: inout Contribution
  ) {
    for case .skipDelay(let rule) in flow.rules where rule.permissions.contains(name) && rule.to == suffix {
      guard let skipStart = record.skipStart else {
        note(projector.row(.skipDelay, name), isBroken: true)
        continue
      }
      contribution.noteDependsOnTimes()
      note(projector.row(.skipDelay, name), isBroken: event.milliseconds - skipStart < Int64(rule.milliseconds))
    }
  }

  /// Examines a decision that follows another without a pre-prompt between them.
  private mutating func examineRepetition(
    _ suffix: PermissionEventName.Suffix, _ event: FlowEvent, _ name: String, _ record: PermissionRecord,
    in contribution: inout Contribution
  ) {
    guard let recent = record.recent else { return note(projector.row(.noSecondDecision, name)) }
    if recent.suffix == .skipExplained, suffix == .skipped { return note(projector.row(.noSecondDecision, name)) }
    guard recent.action == event.kind.action else { return note(projector.row(.noSecondDecision, name), isBroken: true) }
    contribution.noteDependsOnTimes()
    note(
      projector.row(.noSecondDecision, name),
      isBroken: event.milliseconds - recent.milliseconds > Self.repetitionMillisecondsMax)
  }

  /// Records the permissions that the event asks for.
  private mutating func notePrompts(of event: FlowEvent, at index: Int) {
    for (permissionIndex, permission) in projector.permissions.enumerated() {
      let isPrompt = event.kind.action == .prePrompt && event.kind.permission == permissionIndex
      guard isPrompt || event.kind.stepMask & permission.primingSteps != 0 else { continue }
      permissions[permissionIndex].firstPrompt = permissions[permissionIndex].firstPrompt ?? index
      permissions[permissionIndex].isEnabled = false
      permissions[permissionIndex].skipStart = nil
      permissions[permissionIndex].recent = nil
    }
  }

  /// Examines the rules that depend on all events of the group. Call it after the last event.
  mutating func finish() {
    brokenByLast.removeAll(keepingCapacity: true)
    for rule in flow.rules {
      switch rule {
      case .permissionOrder(let rule):
        let prompts = records(of: rule.permissions).compactMap(\.firstPrompt)
        guard !prompts.isEmpty else { continue }
        note(projector.row(.permissionOrder), isBroken: zip(prompts, prompts.dropFirst()).contains { $0 > $1 })
      case .preAlertWithoutAlert(let rule):
        for name in rule.permissions(of: flow) {
          for record in records(of: [name]) where record.isSkipped {
            note(projector.row(.preAlertWithoutAlert, name), isBroken: !record.isAnswered)
          }
        }
      default: break
      }
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
