package import FunnelStore
package import FunnelModel
package import FunnelSystem

/// Writes a store's index. Only the holder of the store's writer lock may use it.
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
/// The index is derived, so a failure to write it loses nothing: the caller may report it and continue. Earlier writes stay valid.
package final class EventIndexWriter {
  private let folder: IndexFolder
  let fileSystem: any FileSystem
  let threads: Int
  private(set) var manifest = IndexManifest()
  private(set) var runs: [SortedRun] = []
  private var held = HeldRuns()

  /// Opens the store's index for writing, or begins with an empty one if there is none that can be used.
  package init(store: StoreReader, fileSystem: any FileSystem, threads: Int) {
    folder = IndexFolder(store)
    self.fileSystem = fileSystem
    self.threads = threads
    guard let index = EventIndex.open(for: store), let manifest = folder.manifest()?.carriedOver(in: store),
      manifest.commit == index.commit
    else {
      return
    }
    (self.manifest, runs) = (manifest, index.runs)
  }

  /// The current index, including the runs held in memory.
  package var index: EventIndex { EventIndex(runs: runs + held.runs.map(\.run), commit: commit) }

  /// The last commit that the index covers, 0 for an empty one.
  package var commit: Int { max(manifest.commit, held.commit) }

  /// Adds the events of a commit, which must be on the disk and directly follow ``commit``.
  ///
  /// Runs are held in memory until there are enough to be written as one, so most events are written once. Until then, or until
  /// ``finish()``, the index on the disk is behind, and its readers read the last commits from the log.
  ///
  /// - Parameters:
  ///   - run: The events; nil for a commit that added none to the log.
  /// - Throws: `inputOutput` or `cannotCreate` if it could not be written; the index on the disk is then unchanged.
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

  /// Merges runs if there are too many, and removes files that do not belong in the folder.
  ///
  /// - Throws: `inputOutput` or `cannotCreate` if a run could not be written; the index is then unchanged.
  package func finish() throws(FunnelError) {
    try writeHeld()
    guard manifest.commit > 0 else { return }
    if let range = RunTiers.suffixAtEnd(manifest.runs.map(\.byteCount)) { try merge(range) }
    try mergeWhereMany()
    try removeOtherFiles()
  }

  private func mergeWhereMany() throws(FunnelError) {
    if let range = RunTiers.suffixOfMany(manifest.runs.map(\.byteCount)) { try merge(range) }
  }

  /// Starts again with an empty index, on the disk too.
  package func reset() throws(FunnelError) {
    (manifest, runs, held) = (IndexManifest(), [], HeldRuns())
    guard try fileSystem.status(of: folder.path) != nil else { return }
    try removeOtherFiles()
  }

  /// Replaces the manifest.
  func replace(_ next: IndexManifest, _ runs: [SortedRun]) throws(FunnelError) {
    let bytes = next.bytes
    _ = try write(named: IndexManifest.name) { (file) throws(FunnelError) in
      try fileSystem.write(bytes, to: file, at: 0)
    }
    (manifest, self.runs) = (next, runs)
  }

  /// Writes a batch as a run and opens the run.
  func write(
    _ batch: IndexBatch, commits: ClosedRange<Int>
  ) throws(FunnelError) -> (entry: IndexManifest.Run, run: SortedRun) {
    guard batch.isIndexable else { throw Self.tooManyTypes }
    return try writeRun(commits) { (target) throws(FunnelError) in try batch.write(to: target) }
  }

  private static let tooManyTypes = FunnelError(
    .inputOutput,
    "the log has more than \(IndexLimits.typesMax) different events and can't be indexed, reports will read the log instead")

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
      throw IndexDamage.error
    }
    entry.events = run.eventCount
    return (entry, run)
  }

  /// Writes a file under a temporary name and renames it; readers see the whole old file until then.
  private func write(named name: String, _ fill: (File) throws(FunnelError) -> Void) throws(FunnelError) {
    try AtomicFile.replace(
      folder.path.inside(name), permissions: .owner, isDurable: false, fileSystem: fileSystem, fill)
  }

  func createFolder() throws(FunnelError) {
    if try fileSystem.status(of: folder.path) == nil { try fileSystem.createDirectory(folder.path) }
  }

  private func removeOtherFiles() throws(FunnelError) {
    let kept = Set(manifest.runs.map(\.name) + (manifest.commit > 0 ? [IndexManifest.name] : []))
    for name in try fileSystem.list(folder.path) where !kept.contains(name) {
      let path = folder.path.inside(name)
      // A folder in it was not created by this program, and does no harm.
      if try fileSystem.status(of: path)?.kind != .directory { try fileSystem.remove(path) }
    }
  }
}
