package import FunnelStore
package import FunnelModel
package import FunnelSystem

/// A writer for the index of a store. Requires the store's writer lock.
///
///     let writer = EventIndexWriter(store: storeWriter.reader, fileSystem: disk, threads: 2)
///     try writer.catchUp(with: storeWriter.reader)         // the events of earlier commits, from the log
///     …                                                    // for each batch:
///     let run = try PreparedRun(batch, of: events, notIn: writer.index)
///     let commit = try storeWriter.commit(…)               // the events not in run.isDropped
///     try writer.append(run, as: commit)
///     …
///     try writer.finish()
///
/// The index is derived from the log. A failed write loses no data: the caller may report it and continue, and
/// earlier writes stay valid.
package final class EventIndexWriter {
  private let folder: IndexFolder
  let fileSystem: any FileSystem
  let threads: Int
  /// The manifest on the disk.
  private(set) var manifest = IndexManifest()
  /// The sorted runs on the disk, in the order of the manifest.
  private(set) var runs: [SortedRun] = []
  /// The sorted runs of later commits, in memory.
  private var held = HeldRuns()

  /// Opens the store's index for writing, or starts with an empty one if there is no usable index.
  package init(store: StoreReader, fileSystem: any FileSystem, threads: Int) {
    folder = IndexFolder(store)
    self.fileSystem = fileSystem
    self.threads = threads
    guard let index = try? EventIndex.open(for: store), let manifest = try? folder.manifest().carriedOver(in: store),
      manifest.commit == index.commit
    else {
      return
    }
    self.manifest = manifest
    runs = index.runs
  }

  /// The current index, including the runs held in memory.
  package var index: EventIndex { EventIndex(runs: runs + held.runs.map(\.run), commit: commit) }

  /// The number of the last commit that the index covers, 0 for an empty index.
  package var commit: Int { max(manifest.commit, held.commit) }

  /// Adds the events of a commit, which must be on the disk and directly follow ``commit``.
  ///
  /// Runs are held in memory until there are enough to write them as one. Until then, or until ``finish()``,
  /// the index on the disk does not cover the last commits, and its readers read them from the log.
  ///
  /// - Parameter run: The events, or `nil` for a commit that added none to the log.
  /// - Throws: `inputOutput` or `cannotCreate` if the index can't be written. The index on the disk is then unchanged.
  package func append(_ run: PreparedRun?, as commit: Commit) throws(FunnelError) {
    precondition(commit.number == self.commit + 1, "commits are indexed one after the other")
    guard !commit.removed.contains(where: { $0.area == .log }) else { return try reset() }
    precondition(run != nil || commit.events == 0, "a commit with events is indexed with its run")
    guard commit.events == run?.run.eventCount ?? 0 else {
      throw FunnelError(
        .inputOutput,
        "commit \(commit.number) wrote \(commit.events) events and \(run?.run.eventCount ?? 0) were to be indexed, the index was not changed, reports will read the log instead"
      )
    }
    held.append(run?.run, commit)
    if held.isEnough { try writeHeld() }
  }

  /// Writes the runs held in memory as one.
  private func writeHeld() throws(FunnelError) {
    guard held.commit > manifest.commit else { return }
    try createFolder()
    var next = (manifest: manifest, runs: runs)
    for group in try held.groups() {
      let written = try writeRun(group.commits) { (target) throws(FunnelError) in
        try group.write(to: target, threads: threads)
      }
      next.manifest.runs.append(written.entry)
      next.runs.append(written.run)
    }
    next.manifest.commit = held.commit
    next.manifest.hash = held.hash
    try replace(next.manifest, next.runs)
    held = HeldRuns()
    try mergeWhereMany()
  }

  /// Writes the runs held in memory, merges runs if there are too many, and removes all other files from the folder.
  ///
  /// - Throws: `inputOutput` or `cannotCreate` if a run can't be written. The index is then unchanged.
  package func finish() throws(FunnelError) {
    try writeHeld()
    guard manifest.commit > 0 else { return }
    if let range = RunTiers.suffixAtEnd(manifest.runs.map(\.byteCount)) { try merge(range) }
    try mergeWhereMany()
    try removeOtherFiles()
  }

  /// Merges the last runs if there are too many.
  private func mergeWhereMany() throws(FunnelError) {
    if let range = RunTiers.suffixOfMany(manifest.runs.map(\.byteCount)) { try merge(range) }
  }

  /// Discards the index, in memory and on the disk.
  package func reset() throws(FunnelError) {
    manifest = IndexManifest()
    runs = []
    held = HeldRuns()
    guard try fileSystem.status(of: folder.path) != nil else { return }
    try removeOtherFiles()
  }

  /// Replaces the manifest on the disk. `runs` are the sorted runs that it lists.
  func replace(_ next: IndexManifest, _ runs: [SortedRun]) throws(FunnelError) {
    let bytes = next.bytes
    _ = try write(named: IndexManifest.name) { (file) throws(FunnelError) in
      try fileSystem.write(bytes, to: file, at: 0)
    }
    manifest = next
    self.runs = runs
  }

  /// Writes a batch as a sorted run, and opens it for reading.
  func write(
    _ batch: IndexBatch, commits: ClosedRange<Int>
  ) throws(FunnelError) -> (entry: IndexManifest.Run, run: SortedRun) {
    guard batch.isIndexable else { throw Self.tooManyTypes }
    return try writeRun(commits) { (target) throws(FunnelError) in try batch.write(to: target) }
  }

  private static let tooManyTypes = FunnelError(
    .inputOutput,
    "the log has more than \(IndexLimits.typesMax) different events and can't be indexed, reports will read the log instead")

  /// Merges the last runs of a range into one, unless it would be too large.
  private func merge(_ range: Range<Int>) throws(FunnelError) {
    let range = range.suffix(RunMerger.runsMax)
    let entries = manifest.runs[range]
    let merger = try RunMerger(Array(runs[range]))
    let isTooLarge = entries.reduce(0) { $0 + $1.events } > IndexLimits.eventsOfRunMax
    guard merger.isPossible, !isTooLarge, let first = entries.first, let last = entries.last else { return }
    let merged = try writeRun(first.commits.lowerBound...last.commits.upperBound) { (target) throws(FunnelError) in
      try merger.write(to: target, threads: threads)
    }
    var next = (manifest: manifest, runs: runs)
    next.manifest.runs.replaceSubrange(range, with: [merged.entry])
    next.runs.replaceSubrange(range, with: [merged.run])
    try replace(next.manifest, next.runs)
    for entry in entries { try fileSystem.remove(folder.path.inside(entry.name)) }
  }

  /// Writes the file of a run, and opens it for reading.
  ///
  /// - Parameter fill: Writes the run and returns its checksum.
  private func writeRun(
    _ commits: ClosedRange<Int>, _ fill: (FileTarget) throws(FunnelError) -> UInt32
  ) throws(FunnelError) -> (entry: IndexManifest.Run, run: SortedRun) {
    let name = IndexManifest.runName(commits)
    var written = (byteCount: 0, checksum: UInt32(0))
    try write(named: name) { (file) throws(FunnelError) in
      let target = FileTarget(file, fileSystem)
      let checksum = try fill(target)
      try target.flush()
      written = (target.count, checksum)
    }
    var entry = IndexManifest.Run(
      commits: commits, byteCount: written.byteCount, checksum: written.checksum, events: 0, name: name)
    guard let file = try MappedFile.open(folder.path.inside(name)), let run = SortedRun(file), run.checksum == entry.checksum
    else {
      throw FunnelError.damagedIndex
    }
    entry.events = run.eventCount
    return (entry, run)
  }

  /// Writes a file under a temporary name and renames it. Readers see the old file or the new one, always whole.
  private func write(named name: String, _ fill: (File) throws(FunnelError) -> Void) throws(FunnelError) {
    try AtomicFile.replace(
      folder.path.inside(name), permissions: .owner, isDurable: false, fileSystem: fileSystem, fill)
  }

  /// Creates the folder of the index if it does not exist.
  func createFolder() throws(FunnelError) {
    if try fileSystem.status(of: folder.path) == nil { try fileSystem.createDirectory(folder.path) }
  }

  /// Removes all files that are neither the manifest nor one of its runs.
  private func removeOtherFiles() throws(FunnelError) {
    let kept = Set(manifest.runs.map(\.name) + (manifest.commit > 0 ? [IndexManifest.name] : []))
    for name in try fileSystem.list(folder.path) where !kept.contains(name) {
      let path = folder.path.inside(name)
      // A subfolder was not created by this program. It does no harm.
      if try fileSystem.status(of: path)?.kind != .directory { try fileSystem.remove(path) }
    }
  }
}
