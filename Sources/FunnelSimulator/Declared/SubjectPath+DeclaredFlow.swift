import FunnelModel

/// The walk through a flow of which only the definition is known.
extension SubjectPath {
  /// The share of people who come to an optional step.
  private static let optionalShare = 0.7
  /// The share of people who have another outcome than that of the step they have reached, or who leave with one.
  private static let otherOutcomeShare = 0.3
  private static let attemptWeights = [40, 25, 20, 15]

  /// Runs through the selected flows of an app, one after another.
  mutating func playDeclared(_ flows: DeclaredFlows, app: Int) {
    for versions in flows.apps[app].builds[flows.build(ofApp: app, persona)].flows {
      let flow = flows.flows[versions[random.below(versions.count)]]
      enter(nil)
      restartAnswers(count: flow.permissionCount)
      if flow.countsAttempts {
        for _ in 0...random.index(byWeight: Self.attemptWeights) {
          _ = run(flow)
          attempt += 1
          returnLater(medianHours: 12)
        }
      } else {
        let isDone = attemptUntilDone { path in path.run(flow) }
        if isDone, persona.fault == .startAfterCompletion { logFirstStep(of: flow) }
      }
      transition()
    }
  }

  /// Logs the entry of the first required step once more, long after the flow was completed.
  private mutating func logFirstStep(of flow: DeclaredFlow) {
    guard let first = flow.steps.first(where: { !$0.isOptional }) else { return }
    attempt += 1
    returnLater(medianHours: 30)
    logOne(of: first.laterEntries)
  }

  /// Runs through a flow once.
  ///
  /// - Returns: Whether its last required step was entered.
  private mutating func run(_ flow: DeclaredFlow) -> Bool {
    var hasOutcome = false
    var lastEntry = now
    var index = 0
    while index < flow.steps.count {
      let step = flow.steps[index]
      let isShown = step.requiredGrants.allSatisfy { self[answerTo: $0] == .granted }
      if !isShown || step.isOptional && !random.chance(Self.optionalShare) {
        guard step.isOptional else { return false }
        index += 1
        continue
      }
      if step.isOutcome, random.chance(Self.otherOutcomeShare), end(with: flow.successes + flow.failures) { return false }
      now = max(now, lastEntry + step.minGapMilliseconds)
      if !step.isPrePrompt || persona.fault != .unprimedDialog {
        logOne(of: attempt == 0 || flow.countsAttempts ? step.entries : step.laterEntries)
      }
      hasOutcome = hasOutcome || step.isOutcome
      if !step.isOptional { lastEntry = now }
      if index == 0, persona.fault == .unknownStep { logDeclared(flow.unknownScreen) }
      if let back = step.back, index > 0, random.chance(0.03) {
        react(medianSeconds: 4)
        logDeclared(back)
        index -= 1
      } else {
        guard stay(at: step, isLast: index >= flow.lastRequired) else {
          if random.chance(Self.otherOutcomeShare) { end(with: flow.failures) }
          return false
        }
        index += 1
      }
      transition()
    }
    if !hasOutcome { end(with: flow.successes) }
    return true
  }

  /// Spends time at a step, with everything it asks for. Nobody leaves the last step.
  ///
  /// - Returns: Whether the flow goes on.
  private mutating func stay(at step: DeclaredFlow.Step, isLast: Bool) -> Bool {
    for ask in step.asks {
      guard answer(ask) else { return isLast }
      transition()
    }
    if !isLast, random.chance(step.leaving) { return false }
    dwell(medianSeconds: step.medianSeconds)
    if let failure = step.failure, random.chance(0.05) {
      logDeclared(failure)
      react(medianSeconds: 6)
    }
    if let skip = step.skip, random.chance(0.25) {
      logDeclared(skip)
    } else {
      step.completion.map { logDeclared($0) }
    }
    return true
  }

  /// Ends a run with one of some outcomes.
  ///
  /// - Returns: Whether there was one.
  @discardableResult private mutating func end(with outcomes: [UInt32]) -> Bool {
    guard !outcomes.isEmpty else { return false }
    react(medianSeconds: 5)
    logOne(of: outcomes)
    return true
  }

  /// Logs one of some events, of which there is at least one.
  private mutating func logOne(of events: [UInt32]) {
    logDeclared(events[random.below(events.count)])
  }
}
