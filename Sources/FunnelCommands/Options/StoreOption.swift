import ArgumentParser
import FunnelSystem

/// The `--store` option: the folder of the store. The default is `$FUNNEL_STORE`, or `./funnel-store` if that is not set.
struct StoreOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("The store (default: $FUNNEL_STORE, else ./funnel-store).", valueName: "dir"), completion: .directory)
  var store: String?

  /// The path of the store's folder.
  var path: String {
    if let store { return store }
    if let fromEnvironment = Environment["FUNNEL_STORE"], !fromEnvironment.isEmpty { return fromEnvironment }
    return "funnel-store"
  }

  func validate() throws {
    if store?.isEmpty == true { throw ValidationError("--store is empty; name a folder") }
  }
}
