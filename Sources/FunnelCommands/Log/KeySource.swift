import FunnelIngest
import FunnelStore
import FunnelModel

/// Where a report's events came from, for a second look at what keys and values they have.
enum KeySource {
  case store(StoreReader, path: String, catalog: FlowCatalog, threads: Int)
  case files([InputFile], options: DecodingOptions, catalog: FlowCatalog, threads: Int, names: [String])

  /// The keys of a bounded part of the log (``Limits/searchedLogBytesMax``), of a store the newest: enough to find what was probably meant,
  /// not to say that something is nowhere. Returns nil if the events can't be read again: they came through a pipe, or something failed,
  /// which is no reason for a report that is there already to fail.
  func census() -> KeyCensus? {
    switch self {
    case .store(let store, _, let catalog, let threads):
      try? KeyCensus.ofLog(of: store, catalog: catalog, threads: threads, rawBytesMax: Limits.searchedLogBytesMax)
    case .files(let files, let options, let catalog, let threads, _):
      isStream
        ? nil
        : try? KeyCensus.ofFiles(
          files, options: options, catalog: catalog, threads: threads, rawBytesMax: Limits.searchedLogBytesMax
        ).0
    }
  }

  /// The command that lists all keys, or nil if there is nothing it could read.
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
