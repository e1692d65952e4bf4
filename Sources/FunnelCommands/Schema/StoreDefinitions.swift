import FunnelModel
import FunnelSchemas
import FunnelSystem

/// The flow definitions that lie in a store.
///
/// They are read like everything else in a store, without following a link: whoever can put one there must not have a message quote
/// any file of the machine.
enum StoreDefinitions {
  /// The folder in the store.
  static let folderName = "schemas"

  /// The definitions of `schemas/` and `schemas/flows/`; none where there is no such folder.
  ///
  /// - Throws: a configuration error of the first mistake; `inputOutput` or `noInput` where a file can't be read.
  static func read(
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
      var file = try FlowFile(json: bytes, name: path.description)
      file.isOfStore = true
      files.append(file)
    }
    return files
  }

  private static func definitions(
    in folder: StoragePath, _ fileSystem: any FileSystem
  ) throws(FunnelError) -> [StoragePath] {
    try fileSystem.list(folder).filter(SchemaDirectory.isDefinition).map { folder.inside($0) }
  }
}
