import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelStore

/// The `--store` option: the folder of the store. The default is `$FUNNEL_STORE`, or `./funnel-store` if that is not set.
struct StoreOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("The store (default: $FUNNEL_STORE, else ./funnel-store).", valueName: "dir"), completion: .directory)
  var store: String?

  /// The path of the store's folder.
  var path: String { store ?? Environment.storePath }

  func validate() throws {
    if store?.isEmpty == true { throw ValidationError("--store is empty; name a folder") }
  }
}

/// The `--schemas` option: flow definitions that take precedence over the built-in ones and those of the store.
struct SchemaOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Folder of flow definitions to add; they replace built-in and stored ones of the same name (repeatable; also $FUNNEL_SCHEMAS, separated by colons).",
      valueName: "dir"),
    completion: .directory)
  var schemas: [String] = []

  /// The folders of `$FUNNEL_SCHEMAS`, a list separated by colons.
  static var environmentFolders: [String] {
    (Environment["FUNNEL_SCHEMAS"] ?? "").split(separator: ":").map(String.init)
  }

  /// The places of the definitions: `$FUNNEL_SCHEMAS` and the option.
  var sources: DefinitionSources { DefinitionSources(folders: schemas, environmentFolders: Self.environmentFolders) }

  /// Returns the definitions in effect.
  ///
  /// - Parameter store: The path of the store, or `nil` to use no store.
  func catalog(store: String? = nil) throws(FunnelError) -> FlowCatalog { try sources.catalog(store: store) }

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
}

/// The `--pseudonymize` option: whether an ingest replaces subjects by pseudonyms.
struct PseudonymOptions: ParsableArguments {
  @Flag(help: "Store a keyed hash instead of each subject, so that raw ids never reach the store (see 'funnel ingest --help').")
  var pseudonymize = false

  @OptionGroup var key: KeyFileOption

  /// The form in which the store keeps subjects.
  var form: SubjectForm { pseudonymize ? .pseudonyms(keyFile: key.keyFile) : .raw }

  func validate() throws {
    if key.keyFile != nil, !pseudonymize {
      throw ValidationError("--key-file is only for --pseudonymize; give both or neither")
    }
  }
}

/// The `--key-file` option: the file with the key of a store's pseudonyms.
struct KeyFileOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The key of the pseudonyms; the first ingest creates it if it does not exist (default: STORE/key).", valueName: "file"),
    completion: .file())
  var keyFile: String?

  func validate() throws {
    if keyFile?.isEmpty == true { throw ValidationError("--key-file is empty; name a file") }
  }
}

/// The `--lock-timeout` option: the time to wait for another process that holds the store's lock.
struct LockOption: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Wait this long for another writer, then exit 75 (default: 30s).", valueName: "span"))
  var lockTimeout: String?

  /// The default timeout: 30 seconds.
  private static let timeoutDefault = TimeSpan(milliseconds: 30_000)

  /// Returns the value of the option, or the default.
  ///
  /// - Throws: `usage` if the value is not a time span.
  func timeout() throws(FunnelError) -> TimeSpan {
    guard let lockTimeout else { return Self.timeoutDefault }
    if let span = TimeSpan(lockTimeout) { return span }
    // A plain number is read as seconds, as timeout(1) does.
    if let span = TimeSpan(lockTimeout + "s") { return span }
    throw FunnelError(
      .usage,
      "not a time span, --lock-timeout \(lockTimeout.printable), write it as 500ms, 90s or 5m, at most \(TimeSpan.longest)")
  }
}
