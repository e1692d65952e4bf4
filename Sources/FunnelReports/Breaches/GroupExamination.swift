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

  let projector: BreachesProjector
  let flow: FlowDefinition
  /// The first required step, as a bit mask.
  private let firstStepMask: UInt64
  /// The last required step, as a bit mask.
  private let lastStepMask: UInt64
  /// The events about each permission so far.
  var permissions: [PermissionRecord]
  /// Whether the group has an event that starts the flow.
  private var hasStarted = false
  /// Whether the group entered the last required step.
  private var isCompleted = false

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
  mutating func note(_ row: Int?, isBroken: Bool = false) {
    guard let row else { return }
    assert(isChecked.indices.contains(row), "the report has a row \(row)")
    isChecked[row] = true
    guard isBroken else { return }
    self.isBroken[row] = true
    if !brokenByLast.contains(row) { brokenByLast.append(row) }
  }

  /// Examines the next event of the group. Events must be passed in order.
  mutating func examine(_ index: Int, of events: GroupEvents, in contribution: inout Contribution) {
    let event = events[index]
    brokenByLast.removeAll(keepingCapacity: true)
    guard let detail = events.detail(at: index) else {
      preconditionFailure("breaches are counted of events with details")
    }
    examineFacts(of: index, detail, events, in: &contribution)
    if event.stepMask != 0 { examineEntries(of: event, detail) }
    if let permission = event.permission(of: projector.permissions), let suffix = detail.suffix {
      examineAnswer(suffix, detail, to: permission, index, of: events, in: &contribution)
    }
    notePrompts(of: event, at: index)
    if event.stepMask & lastStepMask != 0 { isCompleted = true }
  }

  /// Examines the rules that depend only on the properties or the name of the event.
  private mutating func examineFacts(
    of index: Int, _ detail: EventDetail, _ events: GroupEvents, in contribution: inout Contribution
  ) {
    let facts = detail.facts
    if facts.namesVersion { note(projector.row(.knownStep), isBroken: detail.stepIndex == nil) }
    if let step = detail.stepIndex {
      // Only the steps on which the event is not allowed have a row.
      if detail.stepEvent == .skipped { note(projector.row(.skippable, flow.steps[step].id), isBroken: true) }
      if detail.stepEvent == .back { note(projector.row(.backFrom, flow.steps[step].id), isBroken: true) }
    }
    for (ruleIndex, rule) in flow.rules.enumerated() {
      let bit: UInt64 = 1 << UInt64(ruleIndex)
      let isContradicted = facts.contradicted & bit != 0
      switch rule {
      case .startTrigger(let rule) where rule.event == detail.name:
        note(
          projector.row(.startTrigger),
          isBroken: facts.concerned & bit != 0 && isStartBroken(isLaterStart: facts.laterStarts & bit != 0))
        hasStarted = true
      case .minItems(let rule) where facts.concerned & bit != 0:
        note(projector.row(.minItems, rule.step), isBroken: isContradicted)
      case .maxItems(let rule) where facts.concerned & bit != 0:
        note(projector.row(.maxItems, rule.step), isBroken: isContradicted)
      case .failureReason where facts.concerned & bit != 0: note(projector.row(.failureReason), isBroken: isContradicted)
      case .autoVerifyAfter where facts.concerned & bit != 0:
        note(projector.row(.autoVerifyAfter), isBroken: events.breaksSubjectRule(index, contribution.accessTimes()))
      default: break
      }
    }
  }

  /// Returns whether an event with the trigger of a start breaks the rule about it. A later start must follow a first
  /// one, and precede the completion.
  private func isStartBroken(isLaterStart: Bool) -> Bool { isLaterStart ? isCompleted || !hasStarted : hasStarted }

  /// Examines the rules about the steps that the event enters.
  private mutating func examineEntries(of event: EventClass, _ detail: EventDetail) {
    let mask = event.stepMask
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
