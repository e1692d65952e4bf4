/// A flow definition together with the file it was read from.
package struct FlowFile: Hashable, Sendable {
  /// The place that a definition comes from.
  package enum Origin: Hashable, Sendable {
    /// The definition is part of the tool.
    case builtIn
    /// The definition is in the folder of a store.
    case store
    /// The user gave the file, or the definition was not read from a file.
    case user
  }

  /// The contents of the file.
  package var definition: FlowDefinition
  /// The file's path, or the name of a built-in definition.
  package let name: String
  package let origin: Origin
  /// The bytes of the file, unchanged. Empty if the definition was not read from a file.
  package let bytes: [UInt8]

  /// Parses a flow definition.
  ///
  /// - Throws: A configuration error about the first problem, with file, line, column and JSON path.
  package init(json bytes: [UInt8], name: String, origin: Origin = .user) throws(FunnelError) {
    self.init(definition: try FlowDefinition(json: bytes, source: name), name: name, origin: origin, bytes: bytes)
  }

  /// Creates a file of a definition that exists already.
  package init(definition: FlowDefinition, name: String, origin: Origin = .user, bytes: [UInt8] = []) {
    self.definition = definition
    self.name = name
    self.origin = origin
    self.bytes = bytes
  }
}
