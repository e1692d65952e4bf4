import ArgumentParser
import FunnelKit
import FunnelModel

/// The `--threads` option: the number of threads to use, which never affects the output.
struct ThreadsOption: ParsableArguments {
  @Option(parsing: .unconditional, help: ArgumentHelp("Number of threads (default: one per core).", valueName: "n"))
  var threads: Int?

  /// The number of threads, at least one.
  var count: Int { threads ?? Environment.processorCount }

  /// The allowed numbers of threads. More are not useful on any machine.
  private static let counts = 1...1024

  func validate() throws {
    if let threads, !Self.counts.contains(threads) {
      throw ValidationError("--threads \(threads): give \(Self.counts.lowerBound) to \(Self.counts.upperBound)")
    }
  }
}

/// The `--memory-limit` option: the memory that a report may use for its events.
struct MemoryOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Memory for events, such as 512MiB or 2GiB; anything more goes to a temporary file (default: 1GiB; at least 64MiB).",
      valueName: "size"))
  var memoryLimit: String?

  /// Returns the memory limit.
  ///
  /// - Throws: `usage` if the value is not a size, or less than 64 MiB.
  func limit() throws(FunnelError) -> MemoryLimit {
    guard let memoryLimit else { return .standard }
    return try Self.limit(memoryLimit)
  }

  /// Parses a memory limit.
  ///
  /// - Throws: `usage` if the text is not a size, or less than 64 MiB.
  static func limit(_ text: String) throws(FunnelError) -> MemoryLimit {
    guard let bytes = ByteSize.bytes(text) else {
      throw FunnelError(.usage, "not a size, --memory-limit \(text.printable), write it as 512MiB or 2GiB")
    }
    guard bytes >= MemoryLimit.bytesMin else {
      throw FunnelError(.usage, "too little memory, --memory-limit \(text.printable), give at least 64MiB")
    }
    return MemoryLimit(bytes: bytes)
  }
}
