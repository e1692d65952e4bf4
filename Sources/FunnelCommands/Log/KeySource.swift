import FunnelIngest
import FunnelStore
import FunnelModel

/// The source of a report's events, for counting their keys and values afterwards.
enum KeySource {
  case store(StoreReader, path: String, catalog: FlowCatalog, threads: Int)
  case files([InputFile], options: DecodingOptions, catalog: FlowCatalog, threads: Int, names: [String])

  /// Returns the keys of a bounded part of the log (``Limits/searchedLogBytesMax``); of a store, the newest part.
  ///
  /// The part suffices to suggest what was probably meant, but not to prove that a key is absent. Returns nil if the events can't be read
  /// again because they came through a pipe, or if reading fails, which is no reason for a finished report to fail.
  func statistics() -> KeyStatistics? {
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

  /// The command that lists all keys, or nil if the events can't be read again.
  var command: String? {
    switch self {
    case .store(_, let path, _, _): CommandHint.text("log keys", store: path)
    case .files(_, _, _, _, let names): isStream ? nil : CommandHint.text("log keys", inputs: names)
    }
  }

  private var isStream: Bool {
    if case .files(let files, _, _, _, _) = self { files.contains { $0.byteCount == nil } } else { false }
  }
}
