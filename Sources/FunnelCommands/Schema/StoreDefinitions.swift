import FunnelModel
import FunnelSchemas
import FunnelSystem

/// Reads and writes the flow definitions in a store.
enum StoreDefinitions {
  /// The name of the folder of definitions in the store.
  static let folderName = "schemas"

  /// Returns the definitions in `schemas/` and `schemas/flows/`, or an empty array if there is no such folder.
  ///
  /// Does not follow links: otherwise, a user who can place a file in the store could have an error message
  /// quote any other file of the machine.
  ///
  /// - Throws: `configuration` for the first mistake, `inputOutput` or `noInput` if a file cannot be read.
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

  /// Returns the paths of the definitions in a folder.
  private static func definitions(
    in folder: StoragePath, _ fileSystem: any FileSystem
  ) throws(FunnelError) -> [StoragePath] {
    try fileSystem.list(folder).filter(SchemaDirectory.isDefinition).map { folder.inside($0) }
  }
}
