package import FunnelModel

/// What people behind a number have in common: a state of the flow, of a step or of a permission, or an outcome or a broken rule.
///
/// A served page links the number to the list of the people. The texts are those of `funnel groups`.
package struct PeopleState: Hashable, Sendable {
  /// The name and the value of each option of the list, in order, such as `state` and `dropped`.
  package let options: [(name: String, value: String)]

  /// Whether it is about a rule, whose list includes people in progress.
  package var isOfRule: Bool { options.contains { $0.name == "breach" } }

  private init(_ options: [(name: String, value: String?)]) {
    self.options = options.compactMap { option in option.value.map { (option.name, $0) } }
  }

  /// A state of the flow.
  package static func flow(_ state: String) -> PeopleState { PeopleState([("state", state)]) }

  /// A state at a step.
  package static func step(_ id: String, _ state: String) -> PeopleState { PeopleState([("state", state), ("step", id)]) }

  /// A state about a permission.
  package static func permission(_ name: String, _ state: String) -> PeopleState {
    PeopleState([("state", state), ("permission", name)])
  }

  /// People who came back in a period of a cohort.
  ///
  /// - Parameter cohort: The name of the cohort, or `nil` for all cohorts.
  package static func returned(period: Int, cohort: String?) -> PeopleState {
    PeopleState([("state", "returned"), ("period", String(period)), ("cohort", cohort)])
  }

  package static func outcome(_ name: String) -> PeopleState { PeopleState([("outcome", name)]) }

  /// A broken rule.
  ///
  /// - Parameter target: The ID of the step or the permission that the rule is about, or `nil`.
  package static func breach(_ rule: String, target: String?) -> PeopleState {
    PeopleState([("breach", rule), ("step", target)])
  }

  package static func == (a: PeopleState, b: PeopleState) -> Bool { a.options.elementsEqual(b.options, by: ==) }

  package func hash(into hasher: inout Hasher) {
    for (name, value) in options {
      hasher.combine(name)
      hasher.combine(value)
    }
  }
}

/// The people in a state, of one flow version and one segment: what a link to their list selects.
package struct PeopleReference: Hashable, Sendable {
  package let flow: FlowReference
  /// The values of the query's dimensions. Empty for all people.
  package let segment: [PropertyValue]
  package let state: PeopleState
}
