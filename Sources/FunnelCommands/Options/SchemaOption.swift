import ArgumentParser
import FunnelModel
import FunnelSchemas

/// `--schemas`: flow definitions over the built-in ones and those of the store.
struct SchemaOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("Add the flow definitions of this folder, or replace built-in ones (repeatable).", valueName: "dir"))
  var schemas: [String] = []

  /// The definitions in force; `store` is the store's folder, where there is one.
  func catalog(store: String? = nil) throws(FunnelError) -> FlowCatalog {
    let ofStore = try store.map { (path) throws(FunnelError) in try StoreDefinitions.read(from: path) } ?? []
    return try FlowCatalog.loading(ofStore: ofStore, directories: schemas)
  }
}
