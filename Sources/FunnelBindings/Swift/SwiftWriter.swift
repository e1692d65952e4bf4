import FunnelModel

/// Generates the Swift bindings of a flow: an enum of its events that conforms to `FlowEvent` of the module FunnelEvents.
struct SwiftWriter {
  private let bindings: FlowBindings
  let names: SwiftNames

  init(_ bindings: FlowBindings) {
    self.bindings = bindings
    names = SwiftNames(bindings)
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
      for event in names.events { writeCase(event, to: &source) }
      if names.hasPermissionCase {
        source.line("/// What happened with a permission: `.permission(.\(names.permissions[0].name), .granted)`.")
        source.line("case permission(Permission, PermissionEvent)")
      }
      source.line()
      writeConstants(to: &source)
      write(names.steps, asType: "Step", "The steps of the flow.", to: &source)
      if !names.permissions.isEmpty {
        write(names.permissions, asType: "Permission", "The permissions that the flow asks for.", to: &source)
      }
      for enumeration in names.enumerations { write(enumeration, to: &source) }
      for event in names.events {
        if case .stepType(let type, let parameters) = event.payload { writeStepType(type, of: event, parameters, to: &source) }
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
  private func writeCase(_ event: SwiftEvent, to source: inout SourceText) {
    switch event.payload {
    case .stepType(let type, _): source.line("case \(event.name)(\(type))")
    case .values(.none, let parameters): writeCase(event.name, declarations(of: parameters), parameters, to: &source)
    case .values(.optional, let parameters):
      writeCase(
        event.name, ["step: Step? = nil"] + declarations(of: parameters, besides: ["step"]), parameters, to: &source)
    case .values(.required, let parameters):
      writeCase(event.name, ["Step"] + declarations(of: parameters), parameters, to: &source)
    }
  }

  /// Writes an enum case with the declarations of its associated values, after comments on the constraints of parameters.
  private func writeCase(
    _ name: String, _ declarations: [String], _ parameters: [FlowBindings.Parameter], to source: inout SourceText
  ) {
    for parameter in parameters {
      guard let constraint = parameter.constraint else { continue }
      source.line("/// `\(SourceText.comment(parameter.key))`: \(SourceText.comment(constraint)).")
    }
    source.line("case \(name)\(declarations.isEmpty ? "" : "(\(declarations.joined(separator: ", ")))")")
  }

  /// Returns the declarations of associated values for parameters, with labels other than those in `besides`.
  private func declarations(of parameters: [FlowBindings.Parameter], besides: Set<String> = []) -> [String] {
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
    case .enumeration(let index): names.enumerations[index].name
    }
  }

  /// Writes an enum whose raw values are IDs.
  private func write(
    _ ids: [Named<FlowBindings.ID>], asType type: String, _ comment: String, to source: inout SourceText
  ) {
    source.line()
    source.line("/// \(comment)")
    source.block("public enum \(type): String, Sendable, Hashable, CaseIterable {") { source in
      for id in ids {
        if id.value.label != id.value.id { source.line("/// \(SourceText.comment(id.value.label))") }
        source.line("case \(id.name)\(id.name == id.value.id ? "" : " = \"\(id.value.id)\"")")
      }
    }
  }

  /// Writes an enum of the values of a property.
  private func write(_ enumeration: NamedEnumeration, to source: inout SourceText) {
    source.line()
    source.line("/// The values of \(SourceText.comment(enumeration.subject)).")
    source.block("public enum \(enumeration.name): Sendable, Hashable, CaseIterable {") { source in
      for value in enumeration.values { source.line("case \(value.name)") }
      source.line()
      source.property(
        "value", type: "EventValue", cases: enumeration.values.map { (".\($0.name)", SwiftExpression.literal($0.value)) })
    }
  }

  /// Writes the step type of an event whose properties differ by step.
  private func writeStepType(
    _ type: String, of event: SwiftEvent, _ parametersByStep: [[FlowBindings.Parameter]], to source: inout SourceText
  ) {
    source.line()
    source.line("/// The steps, each with the properties of \(event.event).")
    source.block("public enum \(type): Sendable, Hashable {") { source in
      for (step, parameters) in zip(names.steps, parametersByStep) {
        writeCase(step.name, declarations(of: parameters), parameters, to: &source)
      }
      source.line()
      source.property("step", type: "Step", cases: names.steps.map { (".\($0.name)", ".\($0.name)") })
      source.line()
      source.property(
        "props", type: "[String: EventValue]",
        cases: zip(names.steps, parametersByStep).map { step, parameters in
          let pattern = SwiftExpression.pattern(step.name, count: parameters.count, used: 0..<parameters.count)
          return (pattern, SwiftExpression.properties(parameters, firstValue: 0))
        })
    }
  }
}
