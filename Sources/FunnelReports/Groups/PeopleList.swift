package import FunnelModel
package import FunnelProjections
package import FunnelRendering

/// The people behind a number, newest first, each with the app and the device that it used last.
package struct PeopleList: Sendable {
  /// The keys whose last values are shown.
  package static let keys: [Dimension] = [
    .context("app_version"), .context("os"), .context("os_version"), .context("device"),
  ]

  /// The flow version that the people are in.
  package let flow: FlowDefinition
  package let query: ReportQuery
  /// All people, the newest first.
  package let people: [ListedGroup]
  /// The number of people and the request, in words, such as `4 people: dropped at Photo access`.
  package let title: String

  /// Creates a list.
  ///
  /// - Parameter groups: The people, in any order, with the last values of ``keys``.
  package init(_ groups: [ListedGroup], _ request: GroupRequest, of flow: FlowDefinition, query: ReportQuery) {
    precondition(groups.allSatisfy { $0.lastValues.count == Self.keys.count }, "each person has a value for each key")
    people = groups.enumerated().sorted { a, b in
      let (first, second) = (a.element.anchor?.milliseconds ?? .min, b.element.anchor?.milliseconds ?? .min)
      return first == second ? a.offset < b.offset : first > second
    }.map(\.element)
    self.flow = flow
    self.query = query
    let noun = CountedNoun(of: query, flow)
    title = noun.counted(people.count) + request.titleEnd(in: flow, query, counting: noun)
  }

  /// The list as CSV, with all people.
  package func csv(_ dialect: CSVDialect = .plain) -> String {
    let header: [CSVText] = ["subject", "attempt", "anchor", "last_step", "app_version", "os", "os_version", "device"]
    let rows = people.map { person -> [CSVText] in
      [
        "\(person.subject)", person.attempt.map { "\($0)" } ?? .absent, person.anchor.map { "\($0.description)" } ?? .absent,
        person.lastStep.map { "\(flow.steps[$0].id)" } ?? .absent,
      ] + person.lastValues.map { $0 == .null ? .absent : "\($0.description)" }
    }
    return dialect.text(of: [header] + rows)
  }
}

extension GroupRequest {
  /// Returns the end of a title, after the number of people: `: dropped at Photo access`.
  fileprivate func titleEnd(in flow: FlowDefinition, _ query: ReportQuery, counting noun: CountedNoun) -> String {
    func words(_ state: GroupState) -> String {
      state.exit.map { "dropped (\($0.word))" } ?? state.rawValue.replacing("_", with: " ")
    }
    func label(_ id: String) -> String { flow.steps.first { $0.id == id }?.label ?? id }
    return switch self {
    case .flow(let state): ": \(words(state))"
    case .returned(let cell): " \(noun.pronoun) \(Self.words(of: cell, query))"
    case .step(let id, .reached): ": reached \(label(id))"
    case .step(let id, let state): ": \(words(state)) at \(label(id))"
    case .permission(let name, let state): ": \(words(state)): \(name)"
    case .outcome(let name): ": outcome \(name)"
    case .breach(let rule, let target): ": broke the rule \(rule)" + (target.map { " of \($0)" } ?? "")
    }
  }

  /// Returns what those who came back did: `started in the week of 2026-10-26 and came back in week 3`.
  private static func words(of cell: RetentionQuery.Cell, _ query: ReportQuery) -> String {
    let unit = query.retentionUnit
    let returned = "came back \(unit == .day ? "on" : "in") \(unit.rawValue) \(cell.period)"
    guard let cohort = cell.cohort else { return returned }
    let begun = query.retention?.start == .completed ? "completed the flow" : "started"
    let time =
      switch unit {
      case .day: "on \(cohort)"
      case .week: "in the week of \(cohort)"
      case .month: "in \(unit.name(of: cohort))"
      }
    return "\(begun) \(time) and \(returned)"
  }
}
