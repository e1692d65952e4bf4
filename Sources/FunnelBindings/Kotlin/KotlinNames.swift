import FunnelModel

/// The Kotlin identifiers for the names in a flow's bindings, unique in their scopes. Each array has the order
/// of the bindings.
struct KotlinNames {
  let steps: [String]
  let permissions: [String]
  /// The functions of each event: one, or one for each step if the properties differ by step.
  let events: [[String]]
  let enumerations: [String]
  /// The constant names of each enumeration.
  let values: [[String]]

  init(_ bindings: FlowBindings) {
    steps = Self.constants(bindings.steps.map(\.id))
    permissions = Self.constants(bindings.permissions)
    var types = Namer(reserved: ["Step", "Permission", "Event", "Any", "String", "Long", "Double", "Boolean", "Map", "Pair"])
    enumerations = bindings.enumerations.map { types.unique(Identifier.upperCamel($0.words)) }
    values = bindings.enumerations.map { Self.constants($0.values.map(\.description)) }
    // Functions of the generated object and of `Any`.
    var functions = Namer(reserved: ["given", "json", "equals", "hashCode", "toString"])
    events = bindings.events.map { event in
      let steps = event.differsByStep ? bindings.steps.map { Identifier.words($0.id) } : [[]]
      return steps.map { step in
        let name = functions.unique(Identifier.lowerCamel(Identifier.words(event.name) + step))
        return keywords.contains(name) ? "`\(name)`" : name
      }
    }
  }

  /// Returns the names of a function's parameters.
  static func labels(of parameters: [FlowBindings.Parameter]) -> [String] {
    var names = Namer(reserved: ["step"])
    return parameters.map { parameter in
      let name = names.unique(Identifier.lowerCamel(Identifier.words(parameter.key)))
      return keywords.contains(name) ? "`\(name)`" : name
    }
  }

  /// Returns unique constant names for texts.
  private static func constants(_ texts: [String]) -> [String] {
    // No name is reserved: enum classes have no uppercase members.
    var names = Namer()
    return texts.map { names.unique(Identifier.upperSnake(Identifier.words($0))) }
  }
}

/// Kotlin's hard keywords.
private let keywords: Set<String> = [
  "as", "break", "class", "continue", "do", "else", "false", "for", "fun", "if", "in", "interface", "is", "null", "object",
  "package", "return", "super", "this", "throw", "true", "try", "typealias", "typeof", "val", "var", "when", "while",
]
