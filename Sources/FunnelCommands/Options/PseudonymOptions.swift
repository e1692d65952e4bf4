import ArgumentParser

/// `--pseudonymize`: what becomes of subjects on their way into the store.
struct PseudonymOptions: ParsableArguments {
  @Flag(help: "Store a keyed hash in the place of each subject; raw ids never reach the store (see 'funnel ingest --help').")
  var pseudonymize = false

  @OptionGroup var key: KeyFileOption

  func validate() throws {
    if key.keyFile != nil, !pseudonymize { throw ValidationError("--key-file is for --pseudonymize; give both or neither") }
  }
}

/// `--key-file`: where the key of a store's pseudonyms lies.
struct KeyFileOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The key of the pseudonyms, made by the first ingest where it is missing (default: STORE/key).", valueName: "file"),
    completion: .file())
  var keyFile: String?

  func validate() throws {
    if keyFile?.isEmpty == true { throw ValidationError("--key-file is empty; name a file") }
  }
}
