import FunnelStore
import FunnelModel
import FunnelSchemas
import FunnelSystem

extension StoreDefinitions {
  /// Stores the definitions that the user added for an ingest, so that later reports find them in the store.
  ///
  /// A stored definition of the same flow version is replaced, whatever its file name. Built-in definitions are not stored, because a
  /// newer version of the tool may have better ones; a stored definition that is superseded by a built-in one is removed.
  ///
  /// If this is interrupted at any point, the store has one definition of each flow version: a file with another name is first renamed and
  /// then replaced atomically.
  ///
  /// - Returns: The references of the definitions that were not in the store in this form.
  /// - Throws: `cannotCreate` or `inputOutput` if a definition can't be written.
  static func remember(_ catalog: FlowCatalog, in writer: StoreWriter) throws(FunnelError) -> [String] {
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
      let olderPlace = older.map { folder.inside(String($0.name.dropFirst(folder.description.count + 1))) }
      if BuiltInSchemas.has(file) {
        guard let olderPlace else { continue }
        try fileSystem.remove(olderPlace)
        try fileSystem.syncDirectory(olderPlace.parent)
      } else {
        let name = fileName(for: file.definition, besides: stored.filter { $0.name != older?.name }, in: folder)
        if let olderPlace, olderPlace != folder.inside(name) {
          try fileSystem.rename(olderPlace, to: folder.inside(name))
          try fileSystem.syncDirectory(olderPlace.parent)
        }
        try writer.putSchemas([(name, file.bytes)])
      }
      remembered.append(file.definition.reference)
    }
    return remembered
  }

  /// Returns a file name such as `todo.onboarding.v1.json`, with a number if a file of that name defines another flow version.
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
