import FunnelModel

/// The identifiers of a flow's bindings in Kotlin.
struct KotlinNames {
  let steps: [String]
  let permissions: [String]
  /// The function of each event, or those of its steps if the properties differ by step.
  let events: [[String]]
  let enumerations: [String]
  /// The constants of each enumeration.
  let values: [[String]]

  init(_ bindings: FlowBindings) {
    steps = Self.constants(bindings.steps.map(\.id))
    permissions = Self.constants(bindings.permissions)
    var types = Namer(reserved: ["Step", "Permission", "Event", "Any", "String", "Long", "Double", "Boolean", "Map", "Pair"])
    enumerations = bindings.enumerations.map { types.unique(Identifier.upperCamel($0.words)) }
    values = bindings.enumerations.map { Self.constants($0.values.map(\.description)) }
    // Functions that the object has, or that every object has.
    var functions = Namer(reserved: ["given", "json", "equals", "hashCode", "toString"])
    events = bindings.events.map { event in
      let steps = event.differsByStep ? bindings.steps.map { Identifier.words($0.id) } : [[]]
      return steps.map { step in
        let name = functions.unique(Identifier.lowerCamel(Identifier.words(event.name) + step))
        return keywords.contains(name) ? "`\(name)`" : name
      }
    }
  }

  /// Returns the labels of parameters.
  static func labels(of parameters: [FlowBindings.Parameter]) -> [String] {
    var names = Namer(reserved: ["step"])
    return parameters.map { parameter in
      let name = names.unique(Identifier.lowerCamel(Identifier.words(parameter.key)))
      return keywords.contains(name) ? "`\(name)`" : name
    }
  }

  private static func constants(_ texts: [String]) -> [String] {
    // Every enum has a property `entries` and, in upper case, nothing of its own.
    var names = Namer()
    return texts.map { names.unique(Identifier.upperSnake(Identifier.words($0))) }
  }
}

/// Kotlin's hard keywords.
private let keywords: Set<String> = [
  "as", "break", "class", "continue", "do", "else", "false", "for", "fun", "if", "in", "interface", "is", "null", "object",
  "package", "return", "super", "this", "throw", "true", "try", "typealias", "typeof", "val", "var", "when", "while",
]
