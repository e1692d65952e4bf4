public import FunnelModel
public import FunnelProjections

/// A request for the groups behind a number of a report: a state, and the step, permission, outcome or rule of
/// the number.
///
/// If several targets are set, a rule has precedence over an outcome, and an outcome over a permission. With a
/// rule, the step or the permission selects the target of the rule.
public struct GroupRequest: Sendable {
  /// The state, or `nil` for the default state of the target. Must be `nil` for an outcome or a rule.
  public var state: GroupState?
  /// The ID of the step, or `nil` if the number is not about a step.
  public var step: String?
  /// The name of the permission, or `nil` if the number is not about a permission.
  public var permission: String?
  /// The name of the outcome, or `nil` if the number is not about an outcome.
  public var outcome: String?
  /// The name of the broken rule, or `nil` if the number is not about a rule.
  public var breach: String?

  public init(
    state: GroupState? = nil, step: String? = nil, permission: String? = nil, outcome: String? = nil, breach: String? = nil
  ) {
    self.state = state
    self.step = step
    self.permission = permission
    self.outcome = outcome
    self.breach = breach
  }

  /// Returns the projector that counts these groups, and the counters that identify them.
  ///
  /// - Throws: ``FunnelError`` (`usage`) if the flow has no such target, or the state does not apply to it.
  public func selection(
    in flow: FlowDefinition, query: ReportQuery
  ) throws(FunnelError) -> (projector: any Projector.Type, selection: GroupSelection) {
    let query = FlowQuery(flow: flow, query: query)
    if let breach { return (BreachesProjector.self, try ofBreach(breach, query)) }
    if let outcome { return (OutcomesProjector.self, try ofOutcome(outcome, query)) }
    if let permission { return (GrantsProjector.self, try ofPermission(permission, query)) }
    return (FunnelProjector.self, try ofFunnel(query))
  }
}

extension GroupRequest {
  /// Returns a query that includes the event properties that the list of groups needs, for some flows.
  ///
  /// - Parameter namesAttempts: Whether the list includes the names of attempts. They must be read from the
  ///   log, because the index contains only their hashes.
  public func prepared(_ query: ReportQuery, flows: [FlowDefinition], namesAttempts: Bool) -> ReportQuery {
    var query = query
    query.needs.subjects = true
    for flow in flows {
      if breach != nil { query.needs.formUnion(BreachesProjector.needs(of: flow), of: flow) }
      if outcome != nil { query.needs.formUnion(OutcomesProjector.needs(of: flow), of: flow) }
      if namesAttempts, (query.countBy ?? flow.countBy) == .attempt { query.needs.attempts = true }
    }
    return query
  }

  private func ofFunnel(_ query: FlowQuery) throws(FunnelError) -> GroupSelection {
    let flow = query.flow
    let ids = FunnelProjector(query).ids
    let steps = flow.steps.indices
    guard let step else {
      switch state ?? .entered {
      case .entered: return GroupSelection(anyOf: [ids.entered])
      case .completed: return GroupSelection(anyOf: [ids.completed])
      case .dropped: return GroupSelection(anyOf: Set(steps.map(ids.dropped)))
      case .inProgress: return GroupSelection(anyOf: Set(steps.map(ids.inProgress)))
      case .excluded: return GroupSelection(anyOf: Set(steps.map(ids.excluded)))
      case .reached: throw unsuited("needs a step, give --step ID")
      default: throw unsuited("is about a permission, give --permission P")
      }
    }
    let index = try index(of: step, in: flow.steps.map(\.id), "step", option: "--step")
    switch state ?? .reached {
    case .dropped: return GroupSelection(anyOf: [ids.dropped(index)])
    case .inProgress: return GroupSelection(anyOf: [ids.inProgress(index)])
    case .excluded: return GroupSelection(anyOf: [ids.excluded(index)])
    case .reached where flow.steps[index].isOptional: return GroupSelection(anyOf: [ids.optionalReached(index)])
    case .reached:
      let earlier = steps.filter { $0 < index && !flow.steps[$0].isOptional }
      return GroupSelection(
        anyOf: [ids.entered],
        noneOf: Set(earlier.flatMap { [ids.dropped($0), ids.inProgress($0), ids.excluded($0)] }))
    default: throw unsuited("can't be combined with --step, use reached, dropped or in_progress")
    }
  }

  private func ofPermission(_ permission: String, _ query: FlowQuery) throws(FunnelError) -> GroupSelection {
    let projector = GrantsProjector(query)
    let index = try index(of: permission, in: projector.permissions.map(\.name), "permission", option: "--permission")
    let ids = projector.ids
    switch state ?? .prompted {
    case .prompted: return GroupSelection(anyOf: [ids.prompted(index)])
    case .granted: return GroupSelection(anyOf: [ids.outcome(.granted, of: index)])
    case .limited: return GroupSelection(anyOf: [ids.outcome(.limited, of: index)])
    case .provisional: return GroupSelection(anyOf: [ids.outcome(.provisional, of: index)])
    case .denied: return GroupSelection(anyOf: [ids.outcome(.denied, of: index)])
    case .skipped: return GroupSelection(anyOf: [ids.outcome(.skipped, of: index)])
    case .unanswered: return GroupSelection(anyOf: [ids.outcome(.unanswered, of: index)])
    case .inProgress: return GroupSelection(anyOf: [ids.outcome(.inProgress, of: index)])
    case .recovered: return GroupSelection(anyOf: [ids.recovered(index)])
    case .recoveredViaSettings:
      guard let counter = ids.recoveredViaSettings(index) else {
        throw FunnelError(
          .usage,
          "\(query.flow.reference) does not say which event opens the settings, recovered_via_settings, add a rule of this name to its definition"
        )
      }
      return GroupSelection(anyOf: [counter])
    case .unprimed:
      guard projector.countsUnprimed else {
        throw FunnelError(
          .usage, "--where and --mature look at the pre-prompt, which is missing here, unprimed, leave them out")
      }
      return GroupSelection(anyOf: [ids.unprimed(index)])
    case .entered, .completed, .dropped, .reached, .excluded:
      throw unsuited(
        "can't be combined with --permission, use prompted, granted, limited, provisional, denied, skipped, unanswered, in_progress, recovered, recovered_via_settings or unprimed"
      )
    }
  }

  private func ofOutcome(_ outcome: String, _ query: FlowQuery) throws(FunnelError) -> GroupSelection {
    guard state == nil else { throw unsuited("can't be combined with --outcome, leave it out") }
    let index = try index(of: outcome, in: query.flow.outcomes.map(\.name), "outcome", option: "--outcome")
    return GroupSelection(anyOf: [OutcomesProjector(query).ids.count(of: index)])
  }

  private func ofBreach(_ rule: String, _ query: FlowQuery) throws(FunnelError) -> GroupSelection {
    guard state == nil else { throw unsuited("can't be combined with --breach, leave it out") }
    let projector = BreachesProjector(query)
    let rows = projector.checks.indices.filter { projector.checks[$0].name == rule }
    if rows.isEmpty {
      _ = try index(of: rule, in: Array(Set(projector.checks.map(\.name))).sorted(), "rule", option: "--breach")
    }
    let target = permission ?? step
    let found = rows.filter { target == nil || projector.checks[$0].target == target }
    guard found.count == 1 else {
      let targets = rows.compactMap { projector.checks[$0].target }.joined(separator: ", ")
      throw FunnelError(
        .usage,
        "the rule has \(found.isEmpty ? "no such target" : "several targets"), --breach \(rule.printable), select one with --permission or --step: \(targets)"
      )
    }
    return GroupSelection(anyOf: [projector.ids.broken(found[0])])
  }

  private func index(
    of name: String, in names: [String], _ what: String, option: String
  ) throws(FunnelError) -> Int {
    if let index = names.firstIndex(of: name) { return index }
    let hint =
      NearestName.find(name, in: names).map { "did you mean \($0)?" }
      ?? (names.isEmpty ? "it has none" : "it has \(names.joined(separator: ", "))")
    throw FunnelError(.usage, "the flow has no such \(what), \(option) \(name.printable), \(hint)")
  }

  private func unsuited(_ why: String) -> FunnelError { FunnelError(.usage, "\(state?.rawValue ?? "the state") \(why)") }
}
