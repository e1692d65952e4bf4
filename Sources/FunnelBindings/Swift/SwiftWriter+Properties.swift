import FunnelModel

extension SwiftWriter {
  /// Writes the computed properties that `FlowEvent` requires: `name`, `step` and `props`.
  func writeProperties(to source: inout SourceText) {
    source.line()
    let permissions: [SwiftExpression.Case] =
      names.hasPermissionCase
      ? [(".permission(let permission, let event)", #""perm_\(permission.rawValue)_\(event.rawValue)""#)] : []
    let caseCount = names.events.count + permissions.count
    source.property("name", type: "String", cases: names.events.map { (".\($0.name)", "\"\($0.event)\"") } + permissions)
    source.line()
    let steps = names.events.compactMap(Self.stepCase)
    source.property("step", type: "String?", cases: steps, otherwise: steps.count < caseCount ? "nil" : nil)
    source.line()
    let props = names.events.compactMap(Self.propertiesCase)
    source.property(
      "props", type: "[String: EventValue]", cases: props, otherwise: props.count < caseCount ? "[:]" : nil)
  }

  /// Returns the pattern of an event and the expression for the ID of its step, or `nil` if it has no step.
  private static func stepCase(of event: SwiftEvent) -> SwiftExpression.Case? {
    switch event.payload {
    case .values(.none, _): nil
    case .values(.optional, let parameters):
      (SwiftExpression.pattern(event.name, count: 1 + parameters.count, used: 0..<1), "p0?.rawValue")
    case .values(.required, let parameters):
      (SwiftExpression.pattern(event.name, count: 1 + parameters.count, used: 0..<1), "p0.rawValue")
    case .stepType: (SwiftExpression.pattern(event.name, count: 1, used: 0..<1), "p0.step.rawValue")
    }
  }

  /// Returns the pattern of an event and the expression for its properties, or `nil` if it has none.
  private static func propertiesCase(of event: SwiftEvent) -> SwiftExpression.Case? {
    switch event.payload {
    case .stepType: return (SwiftExpression.pattern(event.name, count: 1, used: 0..<1), "p0.props")
    case .values(_, let parameters) where parameters.isEmpty: return nil
    case .values(let role, let parameters):
      let first = role == .none ? 0 : 1
      let count = first + parameters.count
      return (
        SwiftExpression.pattern(event.name, count: count, used: first..<count),
        SwiftExpression.properties(parameters, firstValue: first)
      )
    }
  }
}

/// Generates patterns and expressions of Swift.
enum SwiftExpression {
  /// A case of a `switch`: its pattern, and the expression for its value.
  typealias Case = (pattern: String, value: String)

  /// Returns the pattern of an enum case that binds the associated values at the used indices to `p0`, `p1`, ….
  static func pattern(_ name: String, count: Int, used: Range<Int>) -> String {
    let values = (0..<count).map { used.contains($0) ? "let p\($0)" : "_" }
    return values.isEmpty ? ".\(name)" : ".\(name)(\(values.joined(separator: ", ")))"
  }

  /// Returns the expression for a dictionary of properties.
  ///
  /// - Parameter firstValue: The number of the bound value (`p0`, `p1`, …) that holds the first property.
  static func properties(_ parameters: [FlowBindings.Parameter], firstValue: Int) -> String {
    guard !parameters.isEmpty else { return "[:]" }
    let members = parameters.enumerated().map { index, parameter in
      "\(SourceText.swiftLiteral(parameter.key)): \(value(of: parameter, in: "p\(firstValue + index)"))"
    }
    return "([\(members.joined(separator: ", "))] as [String: EventValue?]).compactMapValues { $0 }"
  }

  /// Returns the expression for the `EventValue` of a parameter in a variable.
  private static func value(of parameter: FlowBindings.Parameter, in variable: String) -> String {
    let constructor: String
    switch parameter.type {
    case .scalar: return variable
    case .enumeration: return parameter.isRequired ? "\(variable).value" : "\(variable)?.value"
    case .string: constructor = "EventValue.string"
    case .integer: constructor = "EventValue.integer"
    case .number: constructor = "EventValue.double"
    case .boolean: constructor = "EventValue.bool"
    }
    return parameter.isRequired ? "\(constructor)(\(variable))" : "\(variable).map(\(constructor))"
  }

  /// Returns the expression for the `EventValue` of a constant.
  static func literal(_ value: PropertyValue) -> String {
    switch value {
    case .string(let text): ".string(\(SourceText.swiftLiteral(text)))"
    case .integer(let number): ".integer(\(number))"
    case .double(let number): ".double(\(number))"
    case .bool(let flag): ".bool(\(flag))"
    case .null: ".null"
    }
  }
}

extension SourceText {
  /// Appends a computed property that switches over `self`. The cases have the same indentation as the `switch`.
  ///
  /// - Parameter otherwise: The value of the default case, or `nil` if the other cases are exhaustive.
  mutating func property(_ name: String, type: String, cases: [SwiftExpression.Case], otherwise: String? = nil) {
    block("public var \(name): \(type) {") { source in
      source.line("switch self {")
      for (pattern, value) in cases { source.line("case \(pattern): \(value)") }
      if let otherwise { source.line("default: \(otherwise)") }
      source.line("}")
    }
  }
}
