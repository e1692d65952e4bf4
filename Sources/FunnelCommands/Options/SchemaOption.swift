import ArgumentParser
import FunnelStore
import FunnelModel
import FunnelSchemas

/// `--schemas`: flow definitions over the built-in ones and those of the store.
struct SchemaOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Add the flow definitions of this folder, or replace those of the tool and the store (repeatable; also $FUNNEL_SCHEMAS, colons between).",
      valueName: "dir"),
    completion: .directory)
  var schemas: [String] = []

  /// The definitions in force; `store` is the store's folder, where there is one.
  func catalog(store: String? = nil) throws(FunnelError) -> FlowCatalog {
    let ofStore = try store.map { (path) throws(FunnelError) in try StoreDefinitions.read(from: path) } ?? []
    return try FlowCatalog.loading(ofStore: ofStore, ofEnvironment: try Self.ofEnvironment(), directories: schemas)
  }

  /// The definitions in force for a command that can do without a store: those of the one it is given, or of the usual one if there is one.
  func catalog(of store: StoreOption) throws(FunnelError) -> FlowCatalog {
    guard store.store == nil else {
      try StoreReader.requireStore(store.path)
      return try catalog(store: store.path)
    }
    return try catalog(store: StoreReader.isStore(store.path) ? store.path : nil)
  }

  /// The definitions of the folders that `$FUNNEL_SCHEMAS` names, as `$PATH` names folders.
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
