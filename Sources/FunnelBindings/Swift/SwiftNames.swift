import FunnelModel

/// The Swift identifiers for the parts of a flow's bindings, unique in their scopes.
struct SwiftNames {
  let steps: [Named<FlowBindings.ID>]
  let permissions: [Named<FlowBindings.ID>]
  let enumerations: [NamedEnumeration]
  /// The events that have a case of their own.
  let events: [SwiftEvent]
  /// Whether the other events, those of permissions without properties, share the case `permission`.
  let hasPermissionCase: Bool

  init(_ bindings: FlowBindings) {
    steps = Self.cases(bindings.steps, suffix: "Step", text: \.id)
    permissions = Self.cases(bindings.permissions, suffix: "Permission", text: \.id)
    var types = Namer(reserved: [
      "Step", "Permission", "PermissionEvent", "Type", "Protocol", "Self", "Any", "String", "Int", "Double", "Bool",
    ])
    enumerations = bindings.enumerations.map { enumeration in
      NamedEnumeration(
        name: types.unique(Identifier.upperCamel(enumeration.words)), subject: enumeration.subject,
        values: Self.cases(enumeration.values, suffix: "Value", text: \.description))
    }
    let own = bindings.events.filter { !Self.isPermissionEvent($0, bindings) }
    hasPermissionCase = own.count < bindings.events.count
    events = Self.cases(own, suffix: "Event", text: \.name).map { event in
      let payload: SwiftEvent.Payload =
        switch event.value.form {
        case .uniform(let role, let parameters): .values(role, parameters)
        case .byStep(let parameters):
          .stepType(types.unique(Identifier.upperCamel(Identifier.words(event.value.name))), parameters)
        }
      return SwiftEvent(name: event.name, event: event.value.name, payload: payload)
    }
  }

  /// Whether an event is about a permission of the flow and has no properties of its own.
  private static func isPermissionEvent(_ event: FlowBindings.Event, _ bindings: FlowBindings) -> Bool {
    guard case .uniform(.none, let parameters) = event.form, parameters.isEmpty else { return false }
    return bindings.permissions.contains { PermissionEventName.suffix(of: event.name, permission: $0.id) != nil }
  }

  /// Returns the argument labels of parameters, other than those in `besides`.
  static func labels(of parameters: [FlowBindings.Parameter], besides: Set<String> = []) -> [String] {
    var names = Namer(reserved: besides.union(["inout", "var", "let"]))
    return parameters.map { names.unique(Identifier.lowerCamel(Identifier.words($0.key))) }
  }

  /// Returns values with unique case names. A name of a member gets the suffix, a keyword gets backticks.
  private static func cases<Value>(_ values: [Value], suffix: String, text: (Value) -> String) -> [Named<Value>] {
    var names = Namer(reserved: members)
    return values.map { value in
      let identifier = Identifier.lowerCamel(Identifier.words(text(value)))
      let name = names.unique(members.contains(identifier) ? identifier + suffix : identifier)
      return Named(name: keywords.contains(name) ? "`\(name)`" : name, value: value)
    }
  }

  /// Names that cannot be cases: other members of the generated types, and `none` and `some`, which would be
  /// confused with the cases of `Optional`.
  private static let members: Set<String> = [
    "app", "flow", "version", "forbiddenKeys", "permission", "name", "step", "props", "value", "rawValue", "allCases", "hash",
    "hashValue",
    "self", "init", "none", "some",
  ]

  /// Swift's reserved words in lowercase (The Swift Programming Language, Lexical Structure).
  private static let keywords: Set<String> = [
    "actor", "any", "as", "associatedtype", "async", "await", "break", "case", "catch", "class", "continue", "default", "defer",
    "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import",
    "in", "inout", "internal", "is", "let", "nil", "open", "operator", "precedencegroup", "private", "protocol", "public",
    "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
    "typealias", "var", "where", "while",
  ]
}

/// A case of the generated enum of events.
struct SwiftEvent {
  /// The name of the case.
  let name: String
  /// The name of the event.
  let event: String
  let payload: Payload

  /// The associated values of the case.
  enum Payload {
    /// The step, if the event has one, and then the properties.
    case values(FlowBindings.StepRole, [FlowBindings.Parameter])
    /// A value of the enum with this name, which has a case for each step, with the properties for the step.
    case stepType(String, [[FlowBindings.Parameter]])
  }
}
