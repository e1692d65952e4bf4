extension FlowDefinition {
  /// Parses a flow definition (specification section 6).
  ///
  /// - Parameter source: The file's name, for messages.
  /// - Throws: A configuration error about the first problem, with file, line, column and JSON path.
  public init(json bytes: [UInt8], source: String) throws(FunnelError) {
    switch Self.read(json: bytes, source: source) {
    case .success(let definition): self = definition
    case .failure(let failure): throw FunnelError(failure.problems)
    }
  }

  /// Parses a flow definition and collects every problem of the file.
  public static func read(json bytes: [UInt8], source: String) -> Result<FlowDefinition, ConfigurationFailure> {
    let reader = FlowDefinitionReader(source: source)
    guard let definition = reader.read(bytes), reader.input.problems.isEmpty else {
      return .failure(ConfigurationFailure(problems: reader.input.problems.inFileOrder))
    }
    return .success(definition)
  }
}

/// All problems of a configuration file, in the order of the file.
public struct ConfigurationFailure: Error, Hashable, Sendable {
  /// The problems, at least one.
  public var problems: [ConfigurationProblem]
}

extension [ConfigurationProblem] {
  /// The problems sorted by their position in the file.
  var inFileOrder: [ConfigurationProblem] {
    enumerated().sorted { first, second in
      let a = first.element.position
      let b = second.element.position
      return (a.line, a.column, first.offset) < (b.line, b.column, second.offset)
    }.map(\.element)
  }
}
