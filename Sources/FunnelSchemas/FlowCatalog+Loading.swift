package import FunnelModel

extension FlowCatalog {
  /// Returns the catalog of flow definitions in effect.
  ///
  /// The layers, each overriding those before it: built-in, store, environment, directories of the command.
  ///
  /// - Parameters:
  ///   - ofStore: The definitions of the store. Exact copies of built-in definitions are ignored.
  ///   - ofEnvironment: The definitions that the user adds to every command.
  ///   - directories: The files and directories that the user adds to this command.
  /// - Throws: `configuration` for the first problem, or for a flow version that one layer defines twice.
  package static func loading(
    ofStore: [FlowFile] = [], ofEnvironment: [FlowFile] = [], directories: [String] = []
  ) throws(FunnelError) -> FlowCatalog {
    var added: [FlowFile] = []
    for directory in directories { added += try SchemaDirectory.load(directory) }
    // Earlier versions of the tool stored copies of the built-in definitions.
    let ownOfStore = ofStore.filter { !BuiltInSchemas.has($0) }
    return try FlowCatalog(layers: [BuiltInSchemas.flowFiles, ownOfStore, ofEnvironment, added])
  }
}
