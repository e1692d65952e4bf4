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
  /// The request, in words, such as `dropped at Photo access`.
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
    title = request.title(in: flow)
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
  /// Returns what the people have in common, in words: `dropped at Photo access`.
  fileprivate func title(in flow: FlowDefinition) -> String {
    func words(_ state: GroupState) -> String {
      state.exit.map { "dropped (\($0.word))" } ?? state.rawValue.replacing("_", with: " ")
    }
    func label(_ id: String) -> String { flow.steps.first { $0.id == id }?.label ?? id }
    return switch self {
    case .flow(let state): words(state)
    case .returned(let cell):
      "returned in period \(cell.period)" + (cell.cohort.map { ", of the cohort from \($0)" } ?? "")
    case .step(let id, .reached): "reached \(label(id))"
    case .step(let id, let state): "\(words(state)) at \(label(id))"
    case .permission(let name, let state): "\(words(state)): \(name)"
    case .outcome(let name): "outcome \(name)"
    case .breach(let rule, let target): "broke the rule \(rule)" + (target.map { " of \($0)" } ?? "")
    }
  }
}
