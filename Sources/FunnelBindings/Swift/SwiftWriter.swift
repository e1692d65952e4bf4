import FunnelModel

/// Writes bindings as a Swift enum of a flow's events, on FunnelEvents: a misspelt event does not compile.
struct SwiftWriter {
  private let bindings: FlowBindings
  private let names: SwiftNames

  init(_ bindings: FlowBindings) {
    self.bindings = bindings
    names = SwiftNames(bindings)
  }

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

  private func writeConstants(to source: inout SourceText) {
    let flow = bindings.flow
    source.line("public static let app = \"\(flow.app)\"")
    source.line("public static let flow = \"\(flow.flow)\"")
    source.line("public static let version = \(flow.version)")
    let keys = flow.forbiddenKeys.map(SourceText.swiftLiteral).joined(separator: ", ")
    source.line("public static let forbiddenKeys: [String] = [\(keys)]")
  }

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

  /// Returns comments on what the types of parameters do not say.
  private static func comments(on parameters: [FlowBindings.Parameter]) -> [String] {
    parameters.compactMap { parameter in
      parameter.constraint.map { "`\(SourceText.comment(parameter.key))`: \(SourceText.comment($0))." }
    }
  }

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

  /// Writes an enum whose raw values are ids.
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

  /// Writes the type of an event's step, whose properties differ by step.
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
          let value = event.differsByStep ? "p0.step.rawValue" : event.step == .optional ? "p0?.rawValue" : "p0.rawValue"
          source.line("case \(pattern(index, used: 0..<1)): \(value)")
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

  /// Returns a pattern that binds the used ones of an event's values to `p0`, `p1` and so on.
  private func pattern(_ index: Int, used: Range<Int>) -> String {
    let event = bindings.events[index]
    return Self.pattern(
      names.events[index], count: event.parameters.count + (event.step == .none ? 0 : 1), used: used)
  }

  private static func pattern(_ name: String, count: Int, used: Range<Int>) -> String {
    let values = (0..<count).map { used.contains($0) ? "let p\($0)" : "_" }
    return values.isEmpty ? ".\(name)" : ".\(name)(\(values.joined(separator: ", ")))"
  }

  /// Returns the dictionary of properties of which `p…` are the values.
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
