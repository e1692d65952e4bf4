import FunnelModel
import FunnelSystem

/// The sizes of the files in a spool, and the number of flushes. Safe for many threads.
///
/// Other processes remove finished files, so the folders are read again from time to time.
final class SpoolInventory: Sendable {
  private struct State: Sendable {
    /// The sizes of the finished files, by path inside the spool.
    var finished: [String: Int] = [:] {
      didSet { finishedBytes = finished.values.reduce(0, +) }
    }
    /// The size and the creation time of the file that is open in each area.
    var open: [SpoolFolder.Area: (bytes: Int, created: Timestamp)] = [:]
    /// The size of the files that are neither: a step of finishing them failed.
    var unfinishedBytes = 0
    var flushCount = 0
    /// The time of the last reading of the folders.
    var scanned: ContinuousClock.Instant?

    /// The size of ``finished``, kept up to date because it is needed for each group.
    private(set) var finishedBytes = 0
    var bytes: Int { finishedBytes + open.values.reduce(0) { $0 + $1.bytes } + unfinishedBytes }
  }

  private let folder: SpoolFolder
  private let state = Guarded(State())
  /// The shortest time between two readings of the folders.
  private static let scanPause = Duration.seconds(1)

  init(_ folder: SpoolFolder) {
    self.folder = folder
  }

  /// The size of all files, as of the last reading of the folders.
  var bytes: Int { state.withLock { $0.bytes } }

  /// Counts a flush.
  func countFlush() { state.withLock { $0.flushCount += 1 } }

  /// Notes the size of the open file of an area, or that there is none.
  func noteOpen(_ area: SpoolFolder.Area, _ file: (bytes: Int, created: Timestamp)?) {
    state.withLock { $0.open[area] = file }
  }

  /// Notes a finished file.
  func noteFinished(_ path: StoragePath, bytes: Int) { state.withLock { $0.finished[path.inside] = bytes } }

  /// Notes the size of the files of which a step of finishing failed.
  func noteUnfinished(bytes: Int) { state.withLock { $0.unfinishedBytes = bytes } }

  /// Reads the folders, unless that was done less than a second ago. If it fails, the known sizes stay.
  func refresh() {
    let isDue = state.withLock { state in
      let now = ContinuousClock.now
      if let scanned = state.scanned, now < scanned + Self.scanPause { return false }
      state.scanned = now
      return true
    }
    guard isDue else { return }
    let known = state.withLock { $0.finished }
    guard let found = try? scan(known: known) else { return }
    state.withLock { state in
      // A file that was finished in the meantime may be missing in the listing.
      let added = state.finished.filter { known[$0.key] == nil }
      state.finished = found.merging(added) { $1 }
    }
  }

  /// Returns the state. Reads the folders, unless that was done less than a second ago.
  func statistics(at now: Timestamp) -> SpoolStatistics {
    refresh()
    return state.withLock { state in
      var oldest = state.open.values.map(\.created).min()
      for path in state.finished.keys {
        guard let name = SpoolFileName(finished: StoragePath("").inside(path).name) else { continue }
        oldest = min(oldest ?? name.created, name.created)
      }
      let behind = oldest.map { Double(max(0, now.milliseconds - $0.milliseconds)) / 1000 } ?? 0
      return SpoolStatistics(bytes: state.bytes, flushCount: state.flushCount, secondsBehind: behind)
    }
  }

  /// Returns the paths of the finished files: those of events, then those of dead letters, each sorted by time.
  func finishedFiles() throws(FunnelError) -> [StoragePath] {
    var paths: [StoragePath] = []
    for area in SpoolFolder.Area.allCases {
      let place = folder.path(of: area)
      let names = try folder.fileSystem.list(place).compactMap(SpoolFileName.init(finished:))
      paths += names.map { place.inside($0.finished) }
    }
    return paths
  }

  /// Returns the sizes of all files but open ones, by path inside the spool. A known size is not read again.
  private func scan(known: [String: Int]) throws(FunnelError) -> [String: Int] {
    var sizes: [String: Int] = [:]
    for area in SpoolFolder.Area.allCases {
      let place = folder.path(of: area)
      for name in try folder.fileSystem.list(place) where !name.hasPrefix(".") && SpoolFileName(open: name) == nil {
        let path = place.inside(name)
        if let size = known[path.inside] {
          sizes[path.inside] = size
        } else if let status = try folder.fileSystem.status(of: path), status.kind == .file {
          sizes[path.inside] = status.size
        }
      }
    }
    return sizes
  }
}
