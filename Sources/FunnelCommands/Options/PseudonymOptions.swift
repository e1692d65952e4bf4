import ArgumentParser

/// The `--pseudonymize` option: whether an ingest replaces subjects by pseudonyms.
struct PseudonymOptions: ParsableArguments {
  @Flag(help: "Store a keyed hash instead of each subject, so that raw ids never reach the store (see 'funnel ingest --help').")
  var pseudonymize = false

  @OptionGroup var key: KeyFileOption

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
