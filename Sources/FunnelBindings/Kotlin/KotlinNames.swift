import FunnelModel

/// The Kotlin identifiers for the parts of a flow's bindings, unique in their scopes.
struct KotlinNames {
  let steps: [Named<FlowBindings.ID>]
  let permissions: [Named<FlowBindings.ID>]
  let enumerations: [NamedEnumeration]
  let functions: [KotlinFunction]

  init(_ bindings: FlowBindings) {
    steps = Self.constants(bindings.steps, text: \.id)
    permissions = Self.constants(bindings.permissions, text: \.id)
    var types = Namer(reserved: ["Step", "Permission", "Event", "Any", "String", "Long", "Double", "Boolean", "Map", "Pair"])
    enumerations = bindings.enumerations.map { enumeration in
      NamedEnumeration(
        name: types.unique(Identifier.upperCamel(enumeration.words)), subject: enumeration.subject,
        values: Self.constants(enumeration.values, text: \.description))
    }
    // Functions of the generated object and of `Any`.
    var names = Namer(reserved: ["given", "json", "equals", "hashCode", "toString"])
    functions = bindings.events.flatMap { [steps] event in Self.functions(of: event, steps: steps, &names) }
  }

  /// Returns the functions of an event: one, or one for each step if the properties differ by step.
  private static func functions(
    of event: FlowBindings.Event, steps: [Named<FlowBindings.ID>], _ names: inout Namer
  ) -> [KotlinFunction] {
    let words = Identifier.words(event.name)
    switch event.form {
    case .uniform(let role, let parameters):
      let name = escaped(names.unique(Identifier.lowerCamel(words)))
      return [KotlinFunction(name: name, event: event.name, step: .parameter(role), parameters: parameters)]
    case .byStep(let parametersByStep):
      return zip(steps, parametersByStep).map { step, parameters in
        let name = escaped(names.unique(Identifier.lowerCamel(words + Identifier.words(step.value.id))))
        return KotlinFunction(name: name, event: event.name, step: .constant(step.name), parameters: parameters)
      }
    }
  }

  /// Returns the names of a function's parameters.
  static func labels(of parameters: [FlowBindings.Parameter]) -> [String] {
    var names = Namer(reserved: ["step"])
    return parameters.map { escaped(names.unique(Identifier.lowerCamel(Identifier.words($0.key)))) }
  }

  /// Returns values with unique constant names.
  private static func constants<Value>(_ values: [Value], text: (Value) -> String) -> [Named<Value>] {
    // No name is reserved: enum classes have no uppercase members.
    var names = Namer()
    return values.map { Named(name: names.unique(Identifier.upperSnake(Identifier.words(text($0)))), value: $0) }
  }

  private static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }
}

/// A generated function, which creates an event.
struct KotlinFunction {
  let name: String
  /// The name of the event.
  let event: String
  let step: Step
  let parameters: [FlowBindings.Parameter]

  /// The source of the event's step.
  enum Step {
    /// A parameter of the function, if the event has a step.
    case parameter(FlowBindings.StepRole)
    /// The step with a constant name.
    case constant(String)
  }
}

/// Kotlin's hard keywords.
private let keywords: Set<String> = [
  "as", "break", "class", "continue", "do", "else", "false", "for", "fun", "if", "in", "interface", "is", "null", "object",
  "package", "return", "super", "this", "throw", "true", "try", "typealias", "typeof", "val", "var", "when", "while",
]
