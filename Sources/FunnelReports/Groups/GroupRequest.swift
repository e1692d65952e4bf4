package import FunnelModel
package import FunnelProjections

/// A request for the groups behind a number of a report.
package enum GroupRequest: Sendable {
  /// The groups of a flow in a state.
  case flow(GroupState)
  /// The groups that come back in a cell of the retention report (``RetentionQuery/listed``).
  case returned(RetentionQuery.Cell)
  /// The groups in a state at a step.
  case step(id: String, GroupState)
  /// The groups in a state about a permission.
  case permission(String, GroupState)
  /// The groups with an outcome.
  case outcome(String)
  /// The groups that break a rule. A rule with several targets needs one: the ID of a step or the name of a permission.
  case breach(rule: String, target: String?)

  /// Creates the request of command line options.
  ///
  /// A rule has precedence over an outcome, an outcome over a permission, and a permission over a step.
  ///
  /// - Parameters:
  ///   - state: The state, or `nil` for the default state: `entered`, or `reached` or `prompted` with a step or a
  ///     permission.
  ///   - cell: The cell of the retention report, for the state `returned`.
  /// - Throws: ``FunnelError`` (`usage`) if there is a state, and an outcome or a rule.
  package init(
    state: GroupState?, step: String?, permission: String?, outcome: String?, breach: String?, cell: RetentionQuery.Cell?
  ) throws(FunnelError) {
    if let breach {
      if let state { throw state.unsuited("can't be combined with --breach, leave it out") }
      self = .breach(rule: breach, target: permission ?? step)
    } else if let outcome {
      if let state { throw state.unsuited("can't be combined with --outcome, leave it out") }
      self = .outcome(outcome)
    } else if let permission {
      self = .permission(permission, state ?? .prompted)
    } else if let step {
      self = .step(id: step, state ?? .reached)
    } else if state == .returned {
      guard let cell else { throw GroupState.returned.unsuited("needs a period, give --period 1") }
      self = .returned(cell)
    } else {
      self = .flow(state ?? .entered)
    }
  }

  /// Returns a query that includes the event properties that the list of groups needs, for some flows.
  ///
  /// - Parameters:
  ///   - namesAttempts: Whether the list includes the names of attempts. They must be read from the log, because the index contains
  ///     only their hashes.
  ///   - keys: The keys whose last values the list includes.
  package func prepared(
    _ query: ReportQuery, flows: [FlowDefinition], namesAttempts: Bool, keys: [Dimension] = []
  ) -> ReportQuery {
    var query = query
    query.needs.subjects = true
    query.needs.dimensions += keys.filter { !query.needs.dimensions.contains($0) }
    for flow in flows {
      switch self {
      case .breach: query.needs.formUnion(BreachesProjector.needs(of: flow), of: flow)
      case .outcome: query.needs.formUnion(OutcomesProjector.needs(of: flow), of: flow)
      case .flow, .returned, .step, .permission: break
      }
      if namesAttempts, query.unit(of: flow) == .attempt { query.needs.attempts = true }
    }
    return query
  }

  /// Returns the projector that counts these groups, and the counters that identify them.
  ///
  /// - Throws: ``FunnelError`` (`usage`) if the flow has no such target, or the state does not apply to it.
  package func selection(
    in flow: FlowDefinition, query: ReportQuery
  ) throws(FunnelError) -> (projector: any Projector.Type, selection: GroupSelection) {
    let query = FlowQuery(flow: flow, query: query)
    return switch self {
    case .flow(let state) where state.exit != nil:
      (DropoffProjector.self, try Self.selection(in: query, ofStep: nil, state.exit))
    case .step(let id, let state) where state.exit != nil:
      (DropoffProjector.self, try Self.selection(in: query, ofStep: id, state.exit))
    case .returned: (RetentionProjector.self, GroupSelection(anyOf: [RetentionProjector.listed]))
    case .flow(let state): (FunnelProjector.self, try Self.selection(in: query, state))
    case .step(let id, let state): (FunnelProjector.self, try Self.selection(in: query, ofStep: id, state))
    case .permission(let name, let state): (GrantsProjector.self, try Self.selection(in: query, ofPermission: name, state))
    case .outcome(let name): (OutcomesProjector.self, try Self.selection(in: query, ofOutcome: name))
    case .breach(let rule, let target): (BreachesProjector.self, try Self.selection(in: query, breaking: rule, target))
    }
  }
}

extension GroupRequest {
  /// Returns the selection of the groups that dropped in a way.
  ///
  /// - Parameter id: The step at which they dropped, or `nil` for all steps.
  private static func selection(
    in query: FlowQuery, ofStep id: String?, _ exit: ExitKind?
  ) throws(FunnelError) -> GroupSelection {
    guard let exit else { preconditionFailure("an exit was asked for") }
    let ids = DropoffProjector(query).ids
    let steps = query.matcher.requiredSteps.prefix(ids.exitableStepCount).map { query.flow.steps[$0].id }
    guard let id else { return GroupSelection(anyOf: Set(steps.indices.map { ids.exit(exit, at: $0) })) }
    return GroupSelection(anyOf: [
      ids.exit(exit, at: try index(of: id, in: steps, "step at which people drop", option: "--step"))
    ])
  }

  private static func selection(in query: FlowQuery, _ state: GroupState) throws(FunnelError) -> GroupSelection {
    let ids = FunnelProjector(query).ids
    switch state {
    case .entered: return GroupSelection(anyOf: [ids.entered])
    case .completed: return GroupSelection(anyOf: [ids.completed])
    case .dropped: return GroupSelection(anyOf: Set(ids.dropped.ids))
    case .inProgress: return GroupSelection(anyOf: Set(ids.inProgress.ids))
    case .excluded: return GroupSelection(anyOf: Set(ids.excluded.ids))
    case .reached: throw state.unsuited("needs a step, give --step ID")
    default: throw state.unsuited("is about a permission, give --permission P")
    }
  }

  private static func selection(
    in query: FlowQuery, ofStep id: String, _ state: GroupState
  ) throws(FunnelError) -> GroupSelection {
    let steps = query.flow.steps
    let ids = FunnelProjector(query).ids
    let index = try index(of: id, in: steps.map(\.id), "step", option: "--step")
    switch state {
    case .dropped: return GroupSelection(anyOf: [ids.dropped[index]])
    case .inProgress: return GroupSelection(anyOf: [ids.inProgress[index]])
    case .excluded: return GroupSelection(anyOf: [ids.excluded[index]])
    case .reached where steps[index].isOptional: return GroupSelection(anyOf: [ids.optionalReached[index]])
    case .reached:
      let earlier = steps.indices.prefix(index).filter { !steps[$0].isOptional }
      return GroupSelection(
        anyOf: [ids.entered],
        noneOf: Set(earlier.flatMap { [ids.dropped[$0], ids.inProgress[$0], ids.excluded[$0]] }))
    default: throw state.unsuited("can't be combined with --step, use reached, dropped or in_progress")
    }
  }

  private static func selection(
    in query: FlowQuery, ofPermission permission: String, _ state: GroupState
  ) throws(FunnelError) -> GroupSelection {
    let projector = GrantsProjector(query)
    let names = projector.permissions.map(\.name)
    let ids = projector.ids[try index(of: permission, in: names, "permission", option: "--permission")]
    if let outcome = GrantOutcome.allCases.first(where: { $0.state == state }) {
      return GroupSelection(anyOf: [ids.outcome(outcome)])
    }
    switch state {
    case .prompted: return GroupSelection(anyOf: [ids.prompted])
    case .recovered: return GroupSelection(anyOf: [ids.recovered])
    case .recoveredViaSettings:
      guard let counter = ids.recoveredViaSettings else {
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
      return GroupSelection(anyOf: [ids.unprimed])
    default:
      throw state.unsuited(
        "can't be combined with --permission, use prompted, granted, limited, provisional, denied, skipped, unanswered, in_progress, recovered, recovered_via_settings or unprimed"
      )
    }
  }

  private static func selection(in query: FlowQuery, ofOutcome outcome: String) throws(FunnelError) -> GroupSelection {
    let index = try index(of: outcome, in: query.flow.outcomes.map(\.name), "outcome", option: "--outcome")
    return GroupSelection(anyOf: [OutcomesProjector(query).ids.outcomes[index]])
  }

  private static func selection(
    in query: FlowQuery, breaking rule: String, _ target: String?
  ) throws(FunnelError) -> GroupSelection {
    let projector = BreachesProjector(query)
    let rows = projector.checks.indices.filter { projector.checks[$0].name == rule }
    if rows.isEmpty {
      _ = try index(of: rule, in: Array(Set(projector.checks.map(\.name))).sorted(), "rule", option: "--breach")
    }
    let found = rows.filter { target == nil || projector.checks[$0].target == target }
    guard found.count == 1 else {
      let targets = rows.compactMap { projector.checks[$0].target }.joined(separator: ", ")
      throw FunnelError(
        .usage,
        "the rule has \(found.isEmpty ? "no such target" : "several targets"), --breach \(rule.printable), select one with --permission or --step: \(targets)"
      )
    }
    return GroupSelection(anyOf: [projector.ids.broken[found[0]]])
  }

  /// Returns the index of a name.
  ///
  /// - Throws: ``FunnelError`` (`usage`) with the nearest name, or all names, if there is no such name.
  private static func index(
    of name: String, in names: [String], _ noun: String, option: String
  ) throws(FunnelError) -> Int {
    if let index = names.firstIndex(of: name) { return index }
    let hint =
      NearestName.find(name, in: names).map { "did you mean \($0)?" }
      ?? (names.isEmpty ? "it has none" : "it has \(names.joined(separator: ", "))")
    throw FunnelError(.usage, "the flow has no such \(noun), \(option) \(name.printable), \(hint)")
  }
}

extension GroupState {
  /// Returns the error for a state that does not apply to the target of a request.
  fileprivate func unsuited(_ reason: String) -> FunnelError { FunnelError(.usage, "\(rawValue) \(reason)") }
}
