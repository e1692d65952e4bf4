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
    try FlowCatalog.loading(store: store.map { "\($0)/schemas" }, directories: schemas)
  }
}
