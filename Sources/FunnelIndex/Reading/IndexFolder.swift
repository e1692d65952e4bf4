internal import FunnelModel
internal import FunnelStore
internal import FunnelSystem

/// The folder of a store's index.
struct IndexFolder: Sendable {
  let path: StoragePath

  /// Creates a reference to the folder, which may not exist.
  init(_ store: StoreReader) {
    path = store.indexFolder
  }

  /// Returns the manifest.
  ///
  /// - Throws: `absent` if there is none, `damaged` if it can't be read.
  func manifest() throws(IndexProblem) -> IndexManifest {
    guard let file = try contents(IndexManifest.name) else { throw .absent }
    guard file.bytes.byteCount <= Limits.indexManifestBytesMax,
      let manifest = withExtendedLifetime(file, { IndexManifest(BorrowedBytes(file.memory).array) })
    else { throw .damaged }
    return manifest
  }

  /// Returns the sorted runs that a manifest lists, or `nil` if one is missing or differs from its entry.
  func runs(of manifest: IndexManifest) -> [SortedRun]? {
    var runs: [SortedRun] = []
    var identities: [OpenRuns.FileIdentity] = []
    for entry in manifest.runs {
      // Read before the file is opened. A change in between is then detected the next time.
      let identity = OpenRuns.FileIdentity(path.inside(entry.name), entry)
      guard let run = identity.flatMap({ OpenRuns.shared.run(at: $0) }) ?? run(entry) else { return nil }
      runs.append(run)
      if let identity { identities.append(identity) }
    }
    if identities.count == runs.count { OpenRuns.shared.replace(by: zip(identities, runs)) }
    return runs
  }

  /// Opens the run of a manifest's entry, or returns `nil` if it is missing or differs from the entry.
  func run(_ entry: IndexManifest.Run) -> SortedRun? {
    guard let file = try? contents(entry.name), file.bytes.byteCount == entry.byteCount, let run = SortedRun(file),
      run.checksum == entry.checksum, run.eventCount == entry.events
    else { return nil }
    return run
  }

  /// Returns the contents of a file, or `nil` if there is none.
  ///
  /// - Throws: `damaged` if it can't be read.
  private func contents(_ name: String) throws(IndexProblem) -> MappedFile? {
    do throws(FunnelError) {
      return try MappedFile.open(path.inside(name))
    } catch {
      throw .damaged
    }
  }
}

extension IndexManifest {
  /// Returns the manifest extended to the commits directly after its own that only rewrote existing events.
  ///
  /// The index covers all events that such a commit rewrote. It must, because the events of a compacted day no
  /// longer record the commit that added them.
  func carriedOver(in store: StoreReader) -> IndexManifest {
    guard commit > 0, commit <= store.commits.count, store.commits[commit - 1].hash == hash else { return self }
    var manifest = self
    for next in store.commits[commit...].prefix(while: \.keepsEvents) {
      manifest.commit = next.number
      manifest.hash = next.hash
    }
    return manifest
  }

  /// Returns whether the log still contains all events that the manifest covers.
  func isValid(for store: StoreReader) -> Bool {
    guard commit > 0, commit <= store.commits.count, store.commits[commit - 1].hash == hash else { return false }
    return !store.commits[commit...].contains { $0.removed.contains { $0.area == .log } }
  }
}

extension StoreReader {
  /// Returns the number of events of all commits up to one. No later commit may have removed events.
  func eventCount(upTo commit: Int) -> Int {
    eventCount - commits[commit...].reduce(0) { $0 + $1.events }
  }
}
