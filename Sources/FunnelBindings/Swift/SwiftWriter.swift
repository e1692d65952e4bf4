import FunnelModel

/// Generates the Swift bindings of a flow: an enum of its events that conforms to `FlowEvent` of the module FunnelEvents.
struct SwiftWriter {
  private let bindings: FlowBindings
  private let names: SwiftNames

  init(_ bindings: FlowBindings) {
    self.bindings = bindings
    names = SwiftNames(bindings)
    assert(
      names.steps.count == bindings.steps.count && names.events.count == bindings.events.count
        && names.enumerations.count == bindings.enumerations.count, "names have the order of the bindings")
  }

  /// Returns the generated source text, which starts with the header lines as comments.
  func text(header: [String]) -> String {
    var source = SourceText(indentation: "  ")
    for line in header { source.line("// \(SourceText.comment(line))") }
    source.line("// swift-format-ignore-file")
    source.line()
    source.line("public import FunnelEvents")
    source.line()
    let flow = bindings.flow
    source.line(
      "/// \(SourceText.comment(flow.title)): the events of the flow \(flow.app)/\(flow.flow), version \(flow.version).")
    source.block("public enum \(bindings.typeName): FlowEvent, Hashable {") { source in
      for (index, event) in bindings.events.enumerated() { write(event, index, to: &source) }
      source.line()
      writeConstants(to: &source)
      writeStrings(
        "The steps of the flow.", "Step", zip(names.steps, bindings.steps).map { ($0, $1.id, $1.label) }, to: &source)
      if !bindings.permissions.isEmpty {
        writeStrings(
          "The permissions that the flow asks for.", "Permission",
          zip(names.permissions, bindings.permissions).map { ($0, $1, $1) }, to: &source)
      }
      for index in bindings.enumerations.indices { writeEnumeration(index, to: &source) }
      for (index, type) in names.stepTypes.sorted(by: { $0.key < $1.key }) {
        writeStepType(type, bindings.events[index], to: &source)
      }
      writeProperties(to: &source)
    }
    return source.text
  }

  /// Writes the flow's identity and its forbidden property keys.
  private func writeConstants(to source: inout SourceText) {
    let flow = bindings.flow
    source.line("public static let app = \"\(flow.app)\"")
    source.line("public static let flow = \"\(flow.flow)\"")
    source.line("public static let version = \(flow.version)")
    let keys = flow.forbiddenKeys.map(SourceText.swiftLiteral).joined(separator: ", ")
    source.line("public static let forbiddenKeys: [String] = [\(keys)]")
  }

  /// Writes the enum case of an event.
  private func write(_ event: FlowBindings.Event, _ index: Int, to source: inout SourceText) {
    for line in Self.comments(on: event.parameters) { source.line("/// \(line)") }
    let name = names.events[index]
    if let type = names.stepTypes[index] { return source.line("case \(name)(\(type))") }
    let step: [String] =
      switch event.step {
      case .none: []
      case .optional: ["step: Step? = nil"]
      case .required: ["Step"]
      }
    let all = step + parameters(event.parameters, besides: event.step == .optional ? ["step"] : [])
    source.line("case \(name)\(all.isEmpty ? "" : "(\(all.joined(separator: ", ")))")")
  }

  /// Returns comments on the constraints that the types of parameters do not express.
  private static func comments(on parameters: [FlowBindings.Parameter]) -> [String] {
    parameters.compactMap { parameter in
      parameter.constraint.map { "`\(SourceText.comment(parameter.key))`: \(SourceText.comment($0))." }
    }
  }

  /// Returns the declarations of associated values for parameters, with labels other than those in `besides`.
  private func parameters(_ parameters: [FlowBindings.Parameter], besides: Set<String> = []) -> [String] {
    zip(SwiftNames.labels(of: parameters, besides: besides), parameters).map { label, parameter in
      "\(label): \(type(of: parameter))\(parameter.isRequired ? "" : "? = nil")"
    }
  }

  private func type(of parameter: FlowBindings.Parameter) -> String {
    switch parameter.type {
    case .string: "String"
    case .integer: "Int"
    case .number: "Double"
    case .boolean: "Bool"
    case .scalar: "EventValue"
    case .enumeration(let index): names.enumerations[index]
    }
  }

  /// Writes an enum whose raw values are IDs.
  private func writeStrings(
    _ comment: String, _ type: String, _ cases: [(name: String, id: String, label: String)], to source: inout SourceText
  ) {
    source.line()
    source.line("/// \(comment)")
    source.block("public enum \(type): String, Sendable, Hashable, CaseIterable {") { source in
      for (name, id, label) in cases {
        if label != id { source.line("/// \(SourceText.comment(label))") }
        source.line("case \(name)\(name == id ? "" : " = \"\(id)\"")")
      }
    }
  }

  /// Writes an enum of the values of a property.
  private func writeEnumeration(_ index: Int, to source: inout SourceText) {
    let enumeration = bindings.enumerations[index]
    source.line()
    source.line("/// The values of \(SourceText.comment(enumeration.subject)).")
    source.block("public enum \(names.enumerations[index]): Sendable, Hashable, CaseIterable {") { source in
      for name in names.values[index] { source.line("case \(name)") }
      source.line()
      source.block("public var value: EventValue {") { source in
        source.choice("self") { source in
          for (name, value) in zip(names.values[index], enumeration.values) {
            source.line("case .\(name): \(Self.literal(value))")
          }
        }
      }
    }
  }

  /// Writes the step type of an event whose properties differ by step.
  private func writeStepType(_ type: String, _ event: FlowBindings.Event, to source: inout SourceText) {
    source.line()
    source.line("/// The steps, each with the properties of \(event.name).")
    source.block("public enum \(type): Sendable, Hashable {") { source in
      for (name, parameters) in zip(names.steps, event.parametersByStep) {
        for line in Self.comments(on: parameters) { source.line("/// \(line)") }
        let all = self.parameters(parameters)
        source.line("case \(name)\(all.isEmpty ? "" : "(\(all.joined(separator: ", ")))")")
      }
      source.line()
      source.block("public var step: Step {") { source in
        source.choice("self") { source in
          for name in names.steps { source.line("case .\(name): .\(name)") }
        }
      }
      source.line()
      source.block("public var props: [String: EventValue] {") { source in
        source.choice("self") { source in
          for (name, parameters) in zip(names.steps, event.parametersByStep) {
            let values = Self.pattern(name, count: parameters.count, used: 0..<parameters.count)
            source.line("case \(values): \(properties(parameters, leading: 0))")
          }
        }
      }
    }
  }

  /// Writes the computed properties that `FlowEvent` requires: `name`, `step` and `props`.
  private func writeProperties(to source: inout SourceText) {
    source.line()
    source.block("public var name: String {") { source in
      source.choice("self") { source in
        for (name, event) in zip(names.events, bindings.events) { source.line("case .\(name): \"\(event.name)\"") }
      }
    }
    source.line()
    source.block("public var step: String? {") { source in
      source.choice("self") { source in
        for (index, event) in bindings.events.enumerated() where event.step != .none {
          source.line("case \(pattern(index, used: 0..<1)): \(Self.stepValue(of: event))")
        }
        if bindings.events.contains(where: { $0.step == .none }) { source.line("default: nil") }
      }
    }
    source.line()
    source.block("public var props: [String: EventValue] {") { source in
      source.choice("self") { source in
        var hasOthers = false
        for (index, event) in bindings.events.enumerated() {
          if event.differsByStep {
            source.line("case \(pattern(index, used: 0..<1)): p0.props")
          } else if !event.parameters.isEmpty {
            let leading = event.step == .none ? 0 : 1
            let used = leading..<leading + event.parameters.count
            source.line("case \(pattern(index, used: used)): \(properties(event.parameters, leading: leading))")
          } else {
            hasOthers = true
          }
        }
        if hasOthers { source.line("default: [:]") }
      }
    }
  }

  /// Returns the expression for the raw value of an event's step, which is bound to `p0`.
  private static func stepValue(of event: FlowBindings.Event) -> String {
    if event.differsByStep { return "p0.step.rawValue" }
    return event.step == .optional ? "p0?.rawValue" : "p0.rawValue"
  }

  /// Returns a pattern that binds the associated values at the used indices to `p0`, `p1`, ….
  private func pattern(_ index: Int, used: Range<Int>) -> String {
    let event = bindings.events[index]
    return Self.pattern(
      names.events[index], count: event.parameters.count + (event.step == .none ? 0 : 1), used: used)
  }

  private static func pattern(_ name: String, count: Int, used: Range<Int>) -> String {
    let values = (0..<count).map { used.contains($0) ? "let p\($0)" : "_" }
    return values.isEmpty ? ".\(name)" : ".\(name)(\(values.joined(separator: ", ")))"
  }

  /// Returns the expression for a dictionary of properties.
  ///
  /// - Parameter leading: The number of the bound value (`p0`, `p1`, …) that holds the first property.
  private func properties(_ parameters: [FlowBindings.Parameter], leading: Int) -> String {
    guard !parameters.isEmpty else { return "[:]" }
    let members = parameters.enumerated().map { index, parameter in
      let name = "p\(leading + index)"
      let value =
        switch parameter.type {
        case .scalar: name
        case .enumeration: parameter.isRequired ? "\(name).value" : "\(name)?.value"
        case .string, .integer, .number, .boolean:
          parameter.isRequired
            ? "\(Self.constructor(parameter.type))(\(name))" : "\(name).map(\(Self.constructor(parameter.type)))"
        }
      return "\(SourceText.swiftLiteral(parameter.key)): \(value)"
    }
    return "([\(members.joined(separator: ", "))] as [String: EventValue?]).compactMapValues { $0 }"
  }

  private static func constructor(_ type: FlowBindings.ParameterType) -> String {
    switch type {
    case .string: "EventValue.string"
    case .integer: "EventValue.integer"
    case .number: "EventValue.double"
    default: "EventValue.bool"
    }
  }

  private static func literal(_ value: PropertyValue) -> String {
    switch value {
    case .string(let text): ".string(\(SourceText.swiftLiteral(text)))"
    case .integer(let number): ".integer(\(number))"
    case .double(let number): ".double(\(number))"
    case .bool(let flag): ".bool(\(flag))"
    case .null: ".null"
    }
  }
}
