import FunnelDecoding
import FunnelIngest
import FunnelModel
import FunnelStore

/// The source of a report's events, from which their keys and values can be counted after the report.
struct KeySource {
  /// The events of a report.
  enum Events {
    case store(StoreReader, path: String)
    /// Files, with the paths that the user gave.
    case files([InputFile], options: DecodingOptions, paths: [String])
  }

  let events: Events
  let catalog: FlowCatalog
  let threads: Int

  /// Returns the key statistics of at most ``Limits/searchedLogBytesMax`` bytes of events, of a store the newest ones.
  ///
  /// The sample is large enough to suggest a similar key, but not to prove that a key is absent. `nil` if the
  /// events came from a pipe and cannot be read again, or if reading fails.
  func statistics() -> KeyStatistics? {
    guard !isStream else { return nil }
    // Errors are ignored: suggestions must not fail a finished report.
    switch events {
    case .store(let store, _):
      return try? KeyStatistics.ofLog(
        of: store, catalog: catalog, threads: threads, rawBytesMax: Limits.searchedLogBytesMax)
    case .files(let files, let options, _):
      let result = try? KeyStatistics.ofFiles(
        files, options: options, catalog: catalog, threads: threads, rawBytesMax: Limits.searchedLogBytesMax)
      return result?.0
    }
  }

  /// The command line that lists all keys, or `nil` if the events cannot be read again.
  var command: String? {
    switch events {
    case .store(_, let path): CommandHint.text("log keys", store: path)
    case .files(_, _, let paths): isStream ? nil : CommandHint.text("log keys", inputs: paths)
    }
  }

  /// Whether an input is a pipe, whose size is unknown.
  private var isStream: Bool {
    if case .files(let files, _, _) = events { files.contains { $0.byteCount == nil } } else { false }
  }
}
