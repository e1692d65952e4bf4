package import FunnelModel
import FunnelSchemas

/// The places where flow definitions are found in addition to the built-in ones and those of a store.
package struct DefinitionSources: Hashable, Sendable {
  /// The folders that the user adds to every command (`$FUNNEL_SCHEMAS`).
  package var environmentFolders: [String]
  /// The folders that the user adds to this operation. Their definitions take precedence over all others.
  package var folders: [String]

  package init(folders: [String] = [], environmentFolders: [String] = []) {
    self.folders = folders
    self.environmentFolders = environmentFolders
  }

  /// Returns the definitions in effect.
  ///
  /// - Parameter store: The path of the store whose definitions also apply, or `nil` for none.
  /// - Throws: `configuration` for the first mistake in a definition, `noInput` if a folder is missing.
  package func catalog(store: String? = nil) throws(FunnelError) -> FlowCatalog {
    let ofStore = try store.map { (path) throws(FunnelError) in try StoreDefinitions.read(from: path) } ?? []
    return try FlowCatalog.loading(ofStore: ofStore, ofEnvironment: try ofEnvironment(), directories: folders)
  }

  private func ofEnvironment() throws(FunnelError) -> [FlowFile] {
    var files: [FlowFile] = []
    for folder in environmentFolders {
      do throws(FunnelError) {
        files += try SchemaDirectory.load(folder)
      } catch {
        guard error.code == .noInput else { throw error }
        throw FunnelError(error.code, "\(error.message); $FUNNEL_SCHEMAS names it")
      }
    }
    return files
  }
}
