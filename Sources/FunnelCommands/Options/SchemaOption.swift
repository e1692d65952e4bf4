import ArgumentParser
import FunnelStore
import FunnelModel
import FunnelSchemas

/// The `--schemas` option: flow definitions that take precedence over the built-in ones and those of the store.
struct SchemaOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Folder of flow definitions to add; they replace built-in and stored ones of the same name (repeatable; also $FUNNEL_SCHEMAS, separated by colons).",
      valueName: "dir"),
    completion: .directory)
  var schemas: [String] = []

  /// Returns the definitions in effect.
  ///
  /// - Parameter store: The path of the store, or `nil` to use no store.
  func catalog(store: String? = nil) throws(FunnelError) -> FlowCatalog {
    let ofStore = try store.map { (path) throws(FunnelError) in try StoreDefinitions.read(from: path) } ?? []
    return try FlowCatalog.loading(ofStore: ofStore, ofEnvironment: try Self.ofEnvironment(), directories: schemas)
  }

  /// Returns the definitions in effect for a command that does not need a store.
  ///
  /// They include those of the given store, or of the default store if it exists.
  func catalog(of store: StoreOption) throws(FunnelError) -> FlowCatalog {
    guard store.store == nil else {
      try StoreReader.requireStore(store.path)
      return try catalog(store: store.path)
    }
    return try catalog(store: StoreReader.isStore(store.path) ? store.path : nil)
  }

  /// Returns the definitions of the folders in `$FUNNEL_SCHEMAS`, a list separated by colons.
  private static func ofEnvironment() throws(FunnelError) -> [FlowFile] {
    var files: [FlowFile] = []
    for folder in (Environment["FUNNEL_SCHEMAS"] ?? "").split(separator: ":") {
      do throws(FunnelError) {
        files += try SchemaDirectory.load(String(folder))
      } catch {
        guard error.code == .noInput else { throw error }
        throw FunnelError(error.code, "\(error.message); $FUNNEL_SCHEMAS names it")
      }
    }
    return files
  }
}
