import FunnelModel

/// The Swift identifiers for the names in a flow's bindings, unique in their scopes. Each array has the order
/// of the bindings.
struct SwiftNames {
  let steps: [String]
  let permissions: [String]
  let events: [String]
  let enumerations: [String]
  /// The case names of each enumeration.
  let values: [[String]]
  /// The step types of events whose properties differ by step, by event index.
  let stepTypes: [Int: String]

  init(_ bindings: FlowBindings) {
    var types = Namer(reserved: ["Step", "Permission", "Type", "Protocol", "Self", "Any", "String", "Int", "Double", "Bool"])
    enumerations = bindings.enumerations.map { types.unique(Identifier.upperCamel($0.words)) }
    var stepTypes: [Int: String] = [:]
    for (index, event) in bindings.events.enumerated() where event.differsByStep {
      stepTypes[index] = types.unique(Identifier.upperCamel(Identifier.words(event.name)))
    }
    self.stepTypes = stepTypes
    var steps = Namer(reserved: Self.members)
    self.steps = bindings.steps.map { Self.name($0.id, "Step", &steps) }
    var permissions = Namer(reserved: Self.members)
    self.permissions = bindings.permissions.map { Self.name($0, "Permission", &permissions) }
    var events = Namer(reserved: Self.members)
    self.events = bindings.events.map { Self.name($0.name, "Event", &events) }
    values = bindings.enumerations.map { enumeration in
      var names = Namer(reserved: Self.members)
      return enumeration.values.map { Self.name($0.description, "Value", &names) }
    }
  }

  /// Returns the argument labels of parameters, other than those in `besides`.
  static func labels(of parameters: [FlowBindings.Parameter], besides: Set<String> = []) -> [String] {
    var names = Namer(reserved: besides.union(["inout", "var", "let"]))
    return parameters.map { names.unique(Identifier.lowerCamel(Identifier.words($0.key))) }
  }

  /// Returns a unique case name. A name of a member gets the suffix, a keyword gets backticks.
  private static func name(_ text: String, _ suffix: String, _ names: inout Namer) -> String {
    let identifier = Identifier.lowerCamel(Identifier.words(text))
    let name = names.unique(members.contains(identifier) ? identifier + suffix : identifier)
    return keywords.contains(name) ? "`\(name)`" : name
  }

  /// Names that cannot be cases: other members of the generated types, and `none` and `some`, which would be
  /// confused with the cases of `Optional`.
  private static let members: Set<String> = [
    "app", "flow", "version", "forbiddenKeys", "name", "step", "props", "value", "rawValue", "allCases", "hash", "hashValue",
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
