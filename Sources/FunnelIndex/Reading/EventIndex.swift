internal import FunnelDecoding
package import FunnelModel
package import FunnelStore
internal import FunnelSystem

/// The index of a store, open for reading: the events of all commits up to a given one, sorted by subject
/// (``IndexFormat``).
///
///     if let index = EventIndex.open(for: store) { … } else { /* read the log */ }
///
/// Thread-safe. Files that a writer replaces in the meantime stay readable through this object.
package final class EventIndex: Sendable {
  /// The sorted runs, oldest first.
  let runs: [SortedRun]
  /// The number of the last commit that the index covers. Events of later commits are only in the log.
  package let commit: Int
  /// The number of events.
  package let eventCount: Int

  init(runs: [SortedRun], commit: Int) {
    self.runs = runs
    self.commit = commit
    eventCount = runs.reduce(0) { $0 + $1.eventCount }
  }

  /// Opens a store's index.
  ///
  /// - Returns: `nil` if there is no usable index. It is missing, unreadable, damaged, of another version, or
  ///   older than a removal of events from the log, or the store is read as of an earlier moment. The caller
  ///   can then read the log.
  package static func open(for store: StoreReader) -> EventIndex? {
    // An index does not record which commit added an event, so it can't show an earlier state of the store.
    guard store.isPresent else { return nil }
    let folder = IndexFolder(store)
    // A writer may have replaced the runs since the manifest was read. Then the new manifest is tried once.
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
  /// Keeps the sorted runs of the last opened index open, with the results of their page checks. For a process
  /// that serves many requests about one store.
  package static func keepRunsOpen() { OpenRuns.shared.keep() }
}

extension EventIndex {
  /// Returns the UTC days on which a subject has events. Only its partition is read.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  package func days(ofSubject subject: String) throws(FunnelError) -> Set<CivilDate> {
    let key = Array(subject.utf8).withBorrowedBytes { Hash128(of: $0.raw) }
    let partition = Int(truncatingIfNeeded: key.high >> IndexFormat.partitionShift)
    var days: Set<CivilDate> = []
    var columns = SubjectReader.Columns()
    columns.attempts = false
    columns.context = false
    columns.props = false
    for run in runs where run.subjectCount(ofPartition: partition) > 0 {
      var reader = try SubjectReader(run, partition: partition, columns: columns)
      while reader.next() {
        defer { reader.skip() }
        guard reader.key == key else { continue }
        for event in 0..<reader.plain.count { days.insert(Timestamp(milliseconds: reader.plain.time(event)).day) }
        break
      }
    }
    return days
  }
}

/// The folder of a store's index.
struct IndexFolder: Sendable {
  let path: StoragePath

  /// Creates a reference to the folder, which may not exist.
  init(_ store: StoreReader) {
    path = store.indexFolder
  }

  /// Returns the manifest, or `nil` if there is no readable one.
  func manifest() -> IndexManifest? {
    guard let file = contents(IndexManifest.name), file.bytes.byteCount <= Limits.indexManifestBytesMax else { return nil }
    return withExtendedLifetime(file) { IndexManifest(BorrowedBytes(file.memory).array) }
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
    guard let file = contents(entry.name), file.bytes.byteCount == entry.byteCount, let run = SortedRun(file),
      run.checksum == entry.checksum, run.eventCount == entry.events
    else { return nil }
    return run
  }

  /// Returns the contents of a file, or `nil` if it can't be read. The caller then reads the log.
  private func contents(_ name: String) -> MappedFile? {
    do throws(FunnelError) {
      return try MappedFile.open(path.inside(name))
    } catch {
      return nil
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
