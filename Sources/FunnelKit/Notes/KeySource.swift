import FunnelDecoding
import FunnelIngest
import FunnelStore
import FunnelModel

/// The source of a report's events, from which their keys and values can be counted after the report.
enum KeySource {
  case store(StoreReader, path: String, catalog: FlowCatalog, threads: Int)
  case files([InputFile], options: DecodingOptions, catalog: FlowCatalog, threads: Int, names: [String])

  /// Returns the key statistics of at most ``Limits/searchedLogBytesMax`` bytes of events, of a store the newest ones.
  ///
  /// The sample is large enough to suggest a similar key, but not to prove that a key is absent. `nil` if the
  /// events came from a pipe and cannot be read again, or if reading fails.
  func statistics() -> KeyStatistics? {
    // Errors are ignored: suggestions must not fail a finished report.
    switch self {
    case .store(let store, _, let catalog, let threads):
      try? KeyStatistics.ofLog(of: store, catalog: catalog, threads: threads, rawBytesMax: Limits.searchedLogBytesMax)
    case .files(let files, let options, let catalog, let threads, _):
      isStream
        ? nil
        : try? KeyStatistics.ofFiles(
          files, options: options, catalog: catalog, threads: threads, rawBytesMax: Limits.searchedLogBytesMax
        ).0
    }
  }

  /// The command line that lists all keys, or `nil` if the events cannot be read again.
  var command: String? {
    switch self {
    case .store(_, let path, _, _): CommandHint.text("log keys", store: path)
    case .files(_, _, _, _, let names): isStream ? nil : CommandHint.text("log keys", inputs: names)
    }
  }

  /// Whether an input is a pipe, whose size is unknown.
  private var isStream: Bool {
    if case .files(let files, _, _, _, _) = self { files.contains { $0.byteCount == nil } } else { false }
  }
}
