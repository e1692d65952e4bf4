import FunnelModel

/// Turns a flow definition into a ``DeclaredFlow``.
///
/// The simulated people keep the rules of the definition that concern what they do: which permissions need a tap on Enable or a delay,
/// where they can skip or go back, how many items a step takes, and why the flow is shown.
struct DeclaredFlowPlanner {
  let definition: FlowDefinition
  /// The index of the flow in ``DeclaredFlows/flows``.
  let index: Int
  /// The events of all flows so far; those of this flow are added.
  var events: [EventTemplate]

  init(_ definition: FlowDefinition, index: Int, events: [EventTemplate]) {
    self.definition = definition
    self.index = index
    self.events = events
  }

  /// Returns the plan.
  mutating func plan() throws(FunnelError) -> DeclaredFlow {
    var flow = DeclaredFlow(
      app: Array(definition.app.utf8), flow: Array(definition.flow.utf8), version: definition.version,
      countsAttempts: definition.countBy == .attempt)
    for step in definition.steps { flow.steps.append(try plan(step)) }
    // An event that enters a step is logged there.
    let entering = Set(definition.steps.flatMap(\.entryNames))
    for outcome in definition.outcomes {
      for name in outcome.events where !entering.contains(name) {
        let event = try addEvent(name, conditions: outcome.conditions)
        if outcome.isSuccess { flow.successes.append(event) } else { flow.failures.append(event) }
      }
    }
    flow.permissionCount = definition.permissions.count
    var unknown = "tips"
    while definition.steps.contains(where: { $0.id == unknown }) { unknown += "_2" }
    flow.unknownScreen = try addEvent(StepEventName.viewed.rawValue, step: unknown)
    return flow
  }

  private mutating func plan(_ step: FlowStep) throws(FunnelError) -> DeclaredFlow.Step {
    // Neither the share nor the time may depend on anything but the step, so that a log stays the same when other steps change.
    let hash = SplitMix64.hash(of: step.id)
    let outcomes = Set(definition.outcomes.flatMap(\.events))
    var plan = DeclaredFlow.Step(
      entries: try entries(of: step, isFirstStart: true), laterEntries: try entries(of: step, isFirstStart: false),
      isPrePrompt: step.isPrePrompt, isOutcome: step.entryNames.contains(where: outcomes.contains), isOptional: step.isOptional,
      requiredGrants: requiredGrants(of: step), leaving: 0.05 + Double(hash % 100) / 1000,
      medianSeconds: 4 + Double(hash / 100 % 20))
    plan.minGapMilliseconds = step.minGap?.milliseconds ?? 0
    var permissions = step.asks
    if case .permission(let name) = step.kind { permissions.insert(name, at: 0) }
    for name in permissions { plan.asks.append(try ask(name, in: step)) }
    guard case .screen = step.kind else { return plan }
    plan.completion = try addEvent(StepEventName.completed.rawValue, step: step.id)
    if isSkippable(step) { plan.skip = try addEvent(StepEventName.skipped.rawValue, step: step.id) }
    if allowsBack(step) { plan.back = try addEvent(StepEventName.back.rawValue, step: step.id) }
    if definition.events.contains(where: { $0.name == StepEventName.failed.rawValue }) {
      plan.failure = try addEvent(StepEventName.failed.rawValue, step: step.id)
    }
    return plan
  }

  private mutating func entries(of step: FlowStep, isFirstStart: Bool) throws(FunnelError) -> [UInt32] {
    switch step.kind {
    case .screen:
      let progress = step.progress.map { ["progress": PropertyValue.double($0)] } ?? [:]
      return [try addEvent(StepEventName.viewed.rawValue, step: step.id, values: progress)]
    case .permission(let name):
      return [try addPrePrompt(of: name, in: step)]
    case .event(let patterns):
      var entries: [UInt32] = []
      for pattern in patterns {
        entries.append(
          try addEvent(
            pattern.event, step: step.id, conditions: pattern.conditions,
            values: startTrigger(of: pattern.event, isFirstStart: isFirstStart)))
      }
      return entries
    }
  }

  private mutating func ask(_ name: String, in step: FlowStep) throws(FunnelError) -> DeclaredFlow.Ask {
    // The pre-prompt of a permission step is the event that enters it.
    let isEntered = step.permissionsPrimedOnEntry.contains(name) || step.kind == .permission(name)
    return DeclaredFlow.Ask(
      permission: definition.permissions.firstIndex { $0.name == name } ?? 0,
      prePrompt: isEntered ? nil : try addPrePrompt(of: name, in: step),
      enableTapped: try addEvent(PermissionEventName.name(.enableTapped, of: name)),
      granted: try addEvent(PermissionEventName.name(.granted, of: name)),
      limited: try addEvent(PermissionEventName.name(.limited, of: name)),
      denied: try addEvent(PermissionEventName.name(.denied, of: name)),
      skipExplained: try addEvent(PermissionEventName.name(.skipExplained, of: name)),
      skipped: try addEvent(PermissionEventName.name(.skipped, of: name)),
      rates: Permission.allCases.first { $0.rawValue == name }?.rates ?? PermissionRates(acceptance: 0.68, grant: 0.85),
      hasWayPast: hasWayPast(name), skipMilliseconds: skipMilliseconds(of: name))
  }

  private mutating func addPrePrompt(of permission: String, in step: FlowStep) throws(FunnelError) -> UInt32 {
    let progress = promptProgress(of: permission, in: step).map { ["progress": PropertyValue.double($0)] } ?? [:]
    return try addEvent(PermissionEventName.name(.prePromptShown, of: permission), values: progress)
  }

  private func requiredGrants(of step: FlowStep) -> [Int] {
    requiredPermissions(of: step).compactMap { name in definition.permissions.firstIndex { $0.name == name } }
  }
}

extension FlowStep {
  /// Whether entering the step is the pre-prompt of a permission.
  var isPrePrompt: Bool { if case .permission = kind { true } else { false } }

  /// The names of the events that enter the step.
  var entryNames: [String] {
    switch kind {
    case .screen: [StepEventName.viewed.rawValue]
    case .permission(let name): [PermissionEventName.name(.prePromptShown, of: name)]
    case .event(let patterns): patterns.map(\.event)
    }
  }
}
