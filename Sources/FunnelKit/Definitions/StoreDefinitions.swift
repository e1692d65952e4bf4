package import FunnelModel
import FunnelSchemas
package import FunnelStore
package import FunnelSystem

/// Reads and writes the flow definitions in a store.
package enum StoreDefinitions {
  /// The name of the folder of definitions in the store.
  static let folderName = "schemas"

  /// Returns the definitions in `schemas/` and `schemas/flows/`, or an empty array if there is no such folder.
  ///
  /// Does not follow links: otherwise, a user who can place a file in the store could have an error message
  /// quote any other file of the machine.
  ///
  /// - Throws: `configuration` for the first mistake, `inputOutput` or `noInput` if a file cannot be read.
  package static func read(
    from store: String, fileSystem: any FileSystem = LocalFileSystem()
  ) throws(FunnelError) -> [FlowFile] {
    let folder = StoragePath(store).inside(folderName)
    guard try fileSystem.status(of: folder) != nil else { return [] }
    var paths = try definitions(in: folder, fileSystem)
    let flows = folder.inside("flows")
    if try fileSystem.status(of: flows) != nil { paths += try definitions(in: flows, fileSystem) }
    var files: [FlowFile] = []
    for path in paths {
      let bytes = try fileSystem.readAll(path, bytesMax: Limits.configurationBytesMax)
      files.append(try FlowFile(json: bytes, name: path.description, origin: .store))
    }
    return files
  }

  /// Returns the paths of the definitions in a folder.
  private static func definitions(
    in folder: StoragePath, _ fileSystem: any FileSystem
  ) throws(FunnelError) -> [StoragePath] {
    try fileSystem.list(folder).filter(SchemaDirectory.isDefinition).map { folder.inside($0) }
  }
}

extension StoreDefinitions {
  /// Saves the definitions that the user added for an ingest to the store, for later reports.
  ///
  /// A stored definition of the same flow version is replaced. A definition that is identical to a built-in one
  /// is not stored, and an older stored one is removed. If the process is interrupted, the store still has
  /// exactly one definition of each flow version.
  ///
  /// - Returns: The references of the definitions that were added, replaced or removed.
  /// - Throws: `cannotCreate` or `inputOutput` if a definition cannot be written.
  package static func remember(_ catalog: FlowCatalog, in writer: StoreWriter) throws(FunnelError) -> [String] {
    // Built-in definitions are not stored, because a newer version of the tool may have better ones.
    let added = catalog.files.filter { $0.origin == .user }
    guard !added.isEmpty else { return [] }
    let fileSystem = writer.fileSystem
    let folder = StoragePath(writer.reader.path).inside(folderName)
    if try fileSystem.status(of: folder) == nil { try fileSystem.createDirectories(folder) }
    let stored = try read(from: writer.reader.path, fileSystem: fileSystem)
    var remembered: [String] = []
    for file in added {
      let older = stored.first { $0.definition.reference == file.definition.reference }
      if older?.bytes == file.bytes { continue }
      let olderPath = older.map { folder.inside(String($0.name.dropFirst(folder.description.count + 1))) }
      if BuiltInSchemas.has(file) {
        guard let olderPath else { continue }
        try fileSystem.remove(olderPath)
        try fileSystem.syncDirectory(olderPath.parent)
      } else {
        let name = fileName(for: file.definition, besides: stored.filter { $0.name != older?.name }, in: folder)
        // A file with another name is renamed first and then replaced, so there are never two definitions or none.
        if let olderPath, olderPath != folder.inside(name) {
          try fileSystem.rename(olderPath, to: folder.inside(name))
          try fileSystem.syncDirectory(olderPath.parent)
        }
        try writer.putSchemas([(name, file.bytes)])
      }
      remembered.append(file.definition.reference)
    }
    return remembered
  }

  /// Returns a file name such as `todo.onboarding.v1.json`, with a number if another definition has that file name.
  private static func fileName(for definition: FlowDefinition, besides others: [FlowFile], in folder: StoragePath) -> String {
    let base = "\(definition.app).\(definition.flow).v\(definition.version)"
    let taken = Set(others.map(\.name))
    var name = "\(base).json"
    var number = 2
    while taken.contains(folder.inside(name).description) {
      name = "\(base).\(number).json"
      number += 1
    }
    return name
  }
}

/// Formats the references of the flow versions whose definitions a command added to the store.
package enum RememberedFlows {
  /// Returns the sentence on the definitions that the store has added.
  package static func text(_ references: [String]) -> String {
    "the store remembers \(references.joined(separator: ", ").printable), so its reports need no --schemas"
  }

  /// Returns a JSON member such as `,"remembered":["todo/onboarding@1"]`, or an empty string if there are no references.
  package static func jsonMember(_ references: [String]) -> String {
    references.isEmpty ? "" : ",\"remembered\":[\(references.map { "\"\($0)\"" }.joined(separator: ","))]"
  }
}
