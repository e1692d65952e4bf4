public import FunnelStore
internal import FunnelModel
internal import FunnelSystem

/// A store's index, open for reading: the events of all commits up to a given one, by subject (``IndexFormat``).
///
///     if let index = EventIndex.open(for: store) { … } else { /* read the log */ }
///
/// Any number of threads may read it. Files that a writer replaces in the meantime stay readable through this object.
public final class EventIndex: Sendable {
  let runs: [SortedRun]
  /// The last commit that the index covers; the events of later commits are in the log only.
  public let commit: Int
  /// The number of events.
  public let eventCount: Int

  init(runs: [SortedRun], commit: Int) {
    self.runs = runs
    self.commit = commit
    eventCount = runs.reduce(0) { $0 + $1.eventCount }
  }

  /// Opens a store's index.
  ///
  /// - Returns: nil if there is no usable index: it is missing, damaged, of another version, not readable, or was written before parts of
  ///   the log were removed, or the store is shown as it stood before. The log contains all of its events.
  public static func open(for store: StoreReader) -> EventIndex? {
    // It does not know which commit brought an event.
    guard store.isPresent else { return nil }
    let folder = IndexFolder(store)
    // A writer may have replaced these runs since the manifest was read.
    for _ in 0..<2 {
      let written = folder.manifest()
      guard let manifest = written?.carriedOver(in: store), manifest.isValid(for: store) else { return nil }
      if let runs = folder.runs(of: manifest) {
        let index = EventIndex(runs: runs, commit: manifest.commit)
        return index.eventCount == store.eventCount(upTo: manifest.commit) ? index : nil
      }
      if folder.manifest() == written { return nil }
    }
    return nil
  }
}

extension EventIndex {
  /// Keeps the runs of the index that was opened last open, with the pages that were checked so far: for a process that answers many
  /// questions about one store.
  public static func keepRunsOpen() { OpenRuns.shared.keep() }
}

/// The folder of a store's index.
struct IndexFolder: Sendable {
  let path: StoragePath

  init(_ store: StoreReader) {
    path = store.indexFolder
  }

  /// Returns the manifest, or nil if there is none that can be read.
  func manifest() -> IndexManifest? {
    guard let file = contents(IndexManifest.name), file.bytes.count <= Limits.indexManifestBytesMax else { return nil }
    return withExtendedLifetime(file) { IndexManifest(Array(file.bytes)) }
  }

  /// Returns the runs that a manifest lists, or nil if one is missing or differs from its entry.
  func runs(of manifest: IndexManifest) -> [SortedRun]? {
    var runs: [SortedRun] = []
    var places: [OpenRuns.Place] = []
    for entry in manifest.runs {
      // Asked before the file is opened: a change in between is a change the next time.
      let place = OpenRuns.Place(path.inside(entry.name), entry)
      guard let run = place.flatMap({ OpenRuns.shared.run(at: $0) }) ?? run(entry) else { return nil }
      runs.append(run)
      if let place { places.append(place) }
    }
    if places.count == runs.count { OpenRuns.shared.replace(by: zip(places, runs)) }
    return runs
  }

  /// Returns the run of a manifest's entry.
  func run(_ entry: IndexManifest.Run) -> SortedRun? {
    guard let file = contents(entry.name), file.bytes.count == entry.byteCount, let run = SortedRun(file),
      run.checksum == entry.checksum, run.eventCount == entry.events
    else { return nil }
    return run
  }

  /// Returns a file's contents. The error does not matter, as the caller then reads the log.
  private func contents(_ name: String) -> MappedFile? {
    do throws(FunnelError) {
      return try MappedFile.open(path.inside(name))
    } catch {
      return nil
    }
  }
}

extension IndexManifest {
  /// Returns the manifest moved forward over the commits directly after its own that only rewrote existing events; it covers them as well.
  ///
  /// The index must cover everything they rewrote, because the events of a compacted day no longer record the commit that added them.
  func carriedOver(in store: StoreReader) -> IndexManifest {
    guard commit > 0, commit <= store.commits.count, store.commits[commit - 1].hash == hash else { return self }
    var manifest = self
    for next in store.commits[commit...].prefix(while: \.keepsEvents) {
      (manifest.commit, manifest.hash) = (next.number, next.hash)
    }
    return manifest
  }

  /// Returns whether the log, as it is now, still contains everything that the manifest covers.
  func isValid(for store: StoreReader) -> Bool {
    guard commit > 0, commit <= store.commits.count, store.commits[commit - 1].hash == hash else { return false }
    return !store.commits[commit...].contains { $0.removed.contains { $0.area == .log } }
  }
}

extension StoreReader {
  /// Returns the number of the log's events that were written up to a commit. No later commit may have removed any.
  func eventCount(upTo commit: Int) -> Int {
    eventCount - commits[commit...].reduce(0) { $0 + $1.events }
  }
}
