/// A flow definition together with the file it was read from.
public struct FlowFile: Hashable, Sendable {
  /// What the file says.
  public var definition: FlowDefinition
  /// The file's path; of a built-in definition, its name.
  public var name: String
  /// Whether the definition comes with the tool.
  public var isBuiltIn: Bool
  /// Whether it lies in a store.
  public var isOfStore = false
  /// The file as it is.
  public var bytes: [UInt8]

  /// Reads a flow definition.
  ///
  /// - Throws: a configuration error of the first mistake, naming file, line, column and JSON path.
  public init(json bytes: [UInt8], name: String, isBuiltIn: Bool = false) throws(FunnelError) {
    self.init(definition: try FlowDefinition(json: bytes, source: name), name: name, isBuiltIn: isBuiltIn, bytes: bytes)
  }

  public init(definition: FlowDefinition, name: String, isBuiltIn: Bool = false, bytes: [UInt8] = []) {
    self.definition = definition
    self.name = name
    self.isBuiltIn = isBuiltIn
    self.bytes = bytes
  }
}
