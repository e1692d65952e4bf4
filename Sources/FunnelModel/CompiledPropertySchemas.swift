/// A property schema with its pattern compiled.
///
/// A compiled regular expression may not be shared between threads: every worker makes its own.
public struct CompiledPropertySchema {
  /// The schema itself.
  public let schema: PropertySchema
  private let regex: Regex<AnyRegexOutput>?

  /// Compiles a schema.
  public init(_ schema: PropertySchema) {
    self.schema = schema
    regex = schema.pattern.flatMap { try? Regex($0) }
  }

  /// What is wrong with a value, as a sentence about `props.<key>`; nil where the value fulfils the schema.
  public func violation(of value: PropertyValue, key: String) -> String? {
    schema.violation(of: value, key: key) { text, _ in
      regex.map { Self.matches(text, $0) } ?? false
    }
  }

  /// Whether an expression matches somewhere in a text, by code points, as JSON Schema wants it.
  static func matches(_ text: String, _ regex: Regex<AnyRegexOutput>) -> Bool {
    guard text.unicodeScalars.prefix(Limits.patternTextScalarsMax + 1).count <= Limits.patternTextScalarsMax else {
      return false
    }
    return (try? regex.matchingSemantics(.unicodeScalar).firstMatch(in: text)) != nil
  }
}

@available(*, unavailable, message: "compile the schemas once on each thread")
extension CompiledPropertySchema: Sendable {}

/// All property schemas of a flow, compiled, by event name and property key.
public struct CompiledPropertySchemas {
  private let events: [String: [String: CompiledPropertySchema]]

  /// Compiles the schemas of a flow; an event without any has no entry.
  public init(_ definition: FlowDefinition) {
    var events: [String: [String: CompiledPropertySchema]] = [:]
    for event in definition.events where !event.props.isEmpty {
      events[event.name] = event.props.mapValues(CompiledPropertySchema.init)
    }
    self.events = events
  }

  /// Whether no event has a schema.
  public var isEmpty: Bool { events.isEmpty }

  /// The schemas of an event's properties by key, or nil where it has none.
  public subscript(event: String) -> [String: CompiledPropertySchema]? { events[event] }
}

@available(*, unavailable, message: "compile the schemas once on each thread")
extension CompiledPropertySchemas: Sendable {}
