public import FunnelModel

/// Reads flow definitions from files of the user or of a store.
///
/// The `*.json` files of a directory are read, and those of a `flows` directory inside it, as in `Schemas/`. Other files beside the
/// definitions (`privacy.json`, `*.schema.json`, hidden files) are skipped. A file may hold an array of definitions.
public enum SchemaDirectory {
  /// The result of reading one file.
  public struct Outcome: Sendable {
    /// The file's path.
    public var path: String
    /// The definition, or all problems of the file.
    public var result: Result<FlowFile, ConfigurationFailure>
  }

  /// Reads the definitions of a directory, or of one file.
  ///
  /// - Throws: a configuration error about the first problem, with file, line, column and JSON path; `noInput` or `inputOutput` if a file
  ///   can't be read.
  public static func load(_ path: String) throws(FunnelError) -> [FlowFile] {
    var files: [FlowFile] = []
    for outcome in try check(path) {
      switch outcome.result {
      case .success(let file): files.append(file)
      case .failure(let failure): throw FunnelError(failure.problems)
      }
    }
    return files
  }

  /// Reads the definitions of a directory, or of one file, and collects every problem.
  ///
  /// - Throws: `noInput`, `inputOutput` or `configuration` if a file can't be read at all.
  public static func check(_ path: String) throws(FunnelError) -> [Outcome] {
    var outcomes: [Outcome] = []
    for file in try definitionPaths(path) {
      let bytes = try ConfigurationFile.bytes(of: file)
      for element in DefinitionList.elements(of: bytes) ?? [.init(bytes: bytes, placed: bytes)] {
        let result = FlowDefinition.read(json: element.placed, source: file).map {
          FlowFile(definition: $0, name: file, bytes: element.bytes)
        }
        outcomes.append(Outcome(path: file, result: result))
      }
    }
    return outcomes
  }

  private static func definitionPaths(_ path: String) throws(FunnelError) -> [String] {
    switch try ConfigurationFile.kind(of: path) {
    case .file: return [path]
    case .other: throw ConfigurationFile.notAFile(path)
    case .directory:
      let flows = join(path, "flows")
      let names = try ConfigurationFile.names(in: path)
      var paths = names.filter(isDefinition).map { join(path, $0) }
      if names.contains("flows"), try ConfigurationFile.kind(of: flows) == .directory {
        paths += try ConfigurationFile.names(in: flows).filter(isDefinition).map { join(flows, $0) }
      }
      return paths
    }
  }

  /// Returns whether a file with this name is read as a definition.
  public static func isDefinition(_ name: String) -> Bool {
    name.hasSuffix(".json") && !name.hasPrefix(".") && !name.hasSuffix(".schema.json") && name != "privacy.json"
  }

  private static func join(_ directory: String, _ name: String) -> String {
    directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
  }
}

extension FlowCatalog {
  /// Returns the definitions in force: the built-in ones, overridden by those of a store, overridden by those that the user adds.
  ///
  /// - Parameters:
  ///   - ofStore: the definitions of the store, if there is one. Earlier versions of the tool stored copies of the built-in ones; a
  ///     definition that is identical byte by byte counts as built in.
  ///   - ofEnvironment: the definitions that the user adds to every command, as one layer.
  ///   - directories: the files and directories that the user adds to this command, as one layer above it.
  /// - Throws: a configuration error about the first problem, or about a flow version that one layer defines twice.
  public static func loading(
    ofStore: [FlowFile] = [], ofEnvironment: [FlowFile] = [], directories: [String] = []
  ) throws(FunnelError) -> FlowCatalog {
    var added: [FlowFile] = []
    for directory in directories { added += try SchemaDirectory.load(directory) }
    let ownOfStore = ofStore.filter { !BuiltInSchemas.has($0) }
    return try FlowCatalog(layers: [BuiltInSchemas.flowFiles, ownOfStore, ofEnvironment, added])
  }
}
