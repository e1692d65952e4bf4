public import FunnelStore
internal import FunnelModel
internal import FunnelSystem

/// A store's index, open for reading: the events of all commits up to one, by subject (``IndexFormat``).
///
///     if let index = JourneyIndex.open(for: store) { … } else { /* read the log */ }
///
/// Any number of threads may read it. Files that a writer replaces meanwhile stay readable here.
public final class JourneyIndex: Sendable {
  let runs: [IndexRun]
  /// The last commit it covers; what later ones wrote is in the log alone.
  public let commit: Int
  /// How many events it holds.
  public let eventCount: Int

  init(runs: [IndexRun], commit: Int) {
    self.runs = runs
    self.commit = commit
    eventCount = runs.reduce(0) { $0 + $1.eventCount }
  }

  /// Opens a store's index.
  ///
  /// - Returns: nil where there is none that can be used: it is missing, damaged, of another version, not allowed to be read, or made before
  ///   parts of the log were removed. The log has everything it would have said.
  public static func open(for store: StoreReader) -> JourneyIndex? {
    let folder = IndexFolder(store)
    // A writer may have put other runs in the place of these since the manifest was read.
    for _ in 0..<2 {
      let written = folder.manifest()
      guard let manifest = written?.carriedOver(in: store), manifest.isValid(for: store) else { return nil }
      if let runs = folder.runs(of: manifest) {
        let index = JourneyIndex(runs: runs, commit: manifest.commit)
        return index.eventCount == store.eventCount(upTo: manifest.commit) ? index : nil
      }
      if folder.manifest() == written { return nil }
    }
    return nil
  }
}

/// Where the index of a store lies.
struct IndexFolder: Sendable {
  let path: StoragePath

  init(_ store: StoreReader) {
    path = StoragePath(store.path).inside(IndexFormat.folder)
  }

  /// The manifest; nil where there is none that can be read.
  func manifest() -> IndexManifest? {
    guard let file = contents(IndexManifest.name), file.bytes.count <= Limits.indexManifestBytesMax else { return nil }
    return withExtendedLifetime(file) { IndexManifest(Array(file.bytes)) }
  }

  /// The runs a manifest names; nil where one is missing or not what it says.
  func runs(of manifest: IndexManifest) -> [IndexRun]? {
    var runs: [IndexRun] = []
    for entry in manifest.runs {
      guard let run = run(entry) else { return nil }
      runs.append(run)
    }
    return runs
  }

  /// A run that a manifest names.
  func run(_ entry: IndexManifest.Run) -> IndexRun? {
    guard let file = contents(entry.name), file.bytes.count == entry.byteCount, let run = IndexRun(file),
      run.checksum == entry.checksum, run.eventCount == entry.events
    else { return nil }
    return run
  }

  /// A file's contents. Why they can't be read does not matter: the log will be.
  private func contents(_ name: String) -> MappedFile? {
    do throws(FunnelError) {
      return try MappedFile.open(path.inside(name))
    } catch {
      return nil
    }
  }
}

extension IndexManifest {
  /// The manifest as of the last of the commits next behind its own that only wrote the same events anew: it stands for them as well.
  ///
  /// It must cover all that they rewrote: events of a compacted day do not tell any more which commit brought them.
  func carriedOver(in store: StoreReader) -> IndexManifest {
    guard commit > 0, commit <= store.commits.count, store.commits[commit - 1].hash == hash else { return self }
    var manifest = self
    for next in store.commits[commit...].prefix(while: \.keepsEvents) {
      (manifest.commit, manifest.hash) = (next.number, next.hash)
    }
    return manifest
  }

  /// Whether what it stands for is a part of the store's log as it is now.
  func isValid(for store: StoreReader) -> Bool {
    guard commit > 0, commit <= store.commits.count, store.commits[commit - 1].hash == hash else { return false }
    return !store.commits[commit...].contains { $0.removed.contains { $0.area == .log } }
  }
}

extension StoreReader {
  /// How many of the log's events were written up to a commit; no later one may have removed any.
  func eventCount(upTo commit: Int) -> Int {
    eventCount - commits[commit...].reduce(0) { $0 + $1.events }
  }
}
