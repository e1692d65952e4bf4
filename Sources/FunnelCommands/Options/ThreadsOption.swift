import ArgumentParser

/// The `--threads` option: the number of threads to use, which never affects the output.
struct ThreadsOption: ParsableArguments {
  @Option(parsing: .unconditional, help: ArgumentHelp("Number of threads (default: one per core).", valueName: "n"))
  var threads: Int?

  /// The number of threads, at least one.
  var count: Int { threads ?? Environment.processorCount }

  func validate() throws {
    if let threads, !(1...1024).contains(threads) { throw ValidationError("--threads \(threads): give 1 to 1024") }
  }
}
