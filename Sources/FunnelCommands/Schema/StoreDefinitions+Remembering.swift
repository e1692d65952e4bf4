import FunnelStore
import FunnelModel
import FunnelSchemas
import FunnelSystem

extension StoreDefinitions {
  /// Saves the definitions that the user added for an ingest to the store, for later reports.
  ///
  /// A stored definition of the same flow version is replaced. A definition that is identical to a built-in one
  /// is not stored, and an older stored one is removed. If the process is interrupted, the store still has
  /// exactly one definition of each flow version.
  ///
  /// - Returns: The references of the definitions that were added, replaced or removed.
  /// - Throws: `cannotCreate` or `inputOutput` if a definition cannot be written.
  static func remember(_ catalog: FlowCatalog, in writer: StoreWriter) throws(FunnelError) -> [String] {
    // Built-in definitions are not stored, because a newer version of the tool may have better ones.
    let added = catalog.files.filter { !$0.isBuiltIn && !$0.isOfStore }
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
