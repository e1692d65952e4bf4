/// A property schema with its pattern compiled.
///
/// Not thread-safe, because a compiled regular expression is not. Each worker compiles its own.
package struct CompiledPropertySchema {
  /// The schema that was compiled.
  package let schema: PropertySchema
  private let regex: Regex<AnyRegexOutput>?

  /// Compiles a schema.
  package init(_ schema: PropertySchema) {
    self.schema = schema
    regex = schema.pattern?.compiled()
  }

  /// Returns the problem with a value as a sentence about `props.<key>`, or `nil` if the value conforms to the schema.
  package func violation(of value: PropertyValue, key: String) -> String? {
    schema.violation(of: value, key: key) { text, pattern in SchemaPattern.matches(regex ?? pattern.compiled(), text) }
  }
}

@available(*, unavailable, message: "compile the schemas once on each thread")
extension CompiledPropertySchema: Sendable {}

/// The compiled requirements of a flow for the properties of one event. Not thread-safe (``CompiledPropertySchema``).
package struct EventPropertyRules {
  private let schemas: [(key: String, schema: CompiledPropertySchema)]
  private let required: [String]

  fileprivate init(_ requirements: [FlowDefinition.PropertyRequirements]) {
    schemas = requirements.flatMap(\.props).sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { ($0.key, CompiledPropertySchema($0.value)) }
    required = requirements.flatMap(\.required)
  }

  /// Returns the first problem with an event's properties as a sentence about one of them, or `nil` if there is none.
  ///
  /// - Parameter value: A closure that returns the value of a property, or `nil` if the event does not have it.
  package func violation(_ value: (String) -> PropertyValue?) -> String? {
    for (key, schema) in schemas {
      if let violation = value(key).flatMap({ schema.violation(of: $0, key: key) }) { return violation }
    }
    return required.first { value($0) == nil }.map { "props.\($0.printable) is missing, the flow's definition requires it" }
  }
}

@available(*, unavailable, message: "compile the schemas once on each thread")
extension EventPropertyRules: Sendable {}

/// The property schemas of a flow, compiled on request for an event name and a step.
package struct CompiledPropertySchemas {
  private let definition: FlowDefinition

  /// Creates the schemas of a flow.
  package init(_ definition: FlowDefinition) {
    self.definition = definition
  }

  /// Returns the flow's requirements for events of a name and step, or `nil` if there are none.
  package func rules(event: String, step: String?) -> EventPropertyRules? {
    let requirements = definition.propertyRequirements(event: event, step: step)
    guard requirements.contains(where: { !$0.props.isEmpty || !$0.required.isEmpty }) else { return nil }
    return EventPropertyRules(requirements)
  }
}
