/// A flow definition together with the file it was read from.
public struct FlowFile: Hashable, Sendable {
  /// The contents of the file.
  public var definition: FlowDefinition
  /// The file's path, or the name of a built-in definition.
  public var name: String
  /// Whether the definition is part of the tool.
  public var isBuiltIn: Bool
  /// Whether the file is part of a store.
  public var isOfStore = false
  /// The bytes of the file, unchanged.
  public var bytes: [UInt8]

  /// Parses a flow definition.
  ///
  /// - Throws: A configuration error about the first problem, with file, line, column and JSON path.
  public init(json bytes: [UInt8], name: String, isBuiltIn: Bool = false) throws(FunnelError) {
    self.init(definition: try FlowDefinition(json: bytes, source: name), name: name, isBuiltIn: isBuiltIn, bytes: bytes)
  }

  /// Creates a file of a definition that exists already.
  public init(definition: FlowDefinition, name: String, isBuiltIn: Bool = false, bytes: [UInt8] = []) {
    self.definition = definition
    self.name = name
    self.isBuiltIn = isBuiltIn
    self.bytes = bytes
  }
}
