package import FunnelModel

/// Reads flow definitions from a file or a directory.
///
/// Reads the `*.json` files of a directory and of its `flows` subdirectory, as in `Schemas/`. Skips
/// `privacy.json`, `*.schema.json` and hidden files. A file may hold an array of definitions.
package enum SchemaDirectory {
  /// The result of reading one definition.
  package struct Outcome: Sendable {
    /// The path of the file that holds it.
    package let path: String
    /// The definition, or all of its problems.
    package let result: Result<FlowFile, ConfigurationFailure>
    /// Whether the file is empty. A shell leaves an empty file if the command that should write the definition fails.
    fileprivate let isEmptyFile: Bool

    /// The problems of the definition, one a line. Empty if it is valid.
    package var problemLines: [String] {
      guard case .failure(let failure) = result else { return [] }
      return isEmptyFile
        ? ["\(path.printable) is empty, write a flow definition, see 'funnel schema infer'"]
        : failure.problems.map(\.description)
    }
  }

  /// Reads the definitions of a directory, or of one file.
  ///
  /// - Throws: `configuration` for the first problem, with file, line, column and JSON path; `noInput` or
  ///   `inputOutput` if a file cannot be read.
  package static func load(_ path: String) throws(FunnelError) -> [FlowFile] {
    var files: [FlowFile] = []
    for outcome in try check(path) {
      switch outcome.result {
      case .success(let file): files.append(file)
      case .failure(let failure):
        throw outcome.isEmptyFile
          ? FunnelError(.configuration, outcome.problemLines[0]) : FunnelError(failure.problems)
      }
    }
    return files
  }

  /// Reads the definitions of a directory, or of one file, and collects every problem.
  ///
  /// - Throws: `noInput`, `inputOutput` or `configuration` if a file cannot be read.
  package static func check(_ path: String) throws(FunnelError) -> [Outcome] {
    var outcomes: [Outcome] = []
    for file in try definitionPaths(path) {
      let bytes = try ConfigurationFile.bytes(of: file)
      for element in DefinitionList.elements(of: bytes) ?? [.init(bytes: bytes, placed: bytes)] {
        let result = FlowDefinition.read(json: element.placed, source: file).map {
          FlowFile(definition: $0, name: file, bytes: element.bytes)
        }
        outcomes.append(Outcome(path: file, result: result, isEmptyFile: bytes.isEmpty))
      }
    }
    return outcomes
  }

  /// Returns the paths of the definition files of a directory, or the path itself if it is a file.
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

  /// Returns whether a file name in a directory is that of a definition.
  package static func isDefinition(_ name: String) -> Bool {
    name.hasSuffix(".json") && !name.hasPrefix(".") && !name.hasSuffix(".schema.json") && name != "privacy.json"
  }

  private static func join(_ directory: String, _ name: String) -> String {
    directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
  }
}
