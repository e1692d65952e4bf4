internal import FunnelDecoding
package import FunnelModel
package import FunnelStore
internal import FunnelSystem

/// The index of a store, open for reading: the events of all commits up to a given one, sorted by subject
/// (``IndexFormat``).
///
///     do { let index = try EventIndex.open(for: store) } catch { /* read the log, because of `error` */ }
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
  /// - Throws: The reason why there is no usable index. The caller can then read the log.
  package static func open(for store: StoreReader) throws(IndexProblem) -> EventIndex {
    // An index does not record which commit added an event, so it can't show an earlier state of the store.
    guard store.isPresent else { throw .absent }
    let folder = IndexFolder(store)
    var written = try folder.manifest()
    // A writer may have replaced the runs since the manifest was read. Then the new manifest is tried once.
    for _ in 0..<2 {
      let manifest = written.carriedOver(in: store)
      guard manifest.isValid(for: store) else { throw .outdated }
      if let runs = folder.runs(of: manifest) {
        let index = EventIndex(runs: runs, commit: manifest.commit)
        guard index.eventCount == store.eventCount(upTo: manifest.commit) else { throw .outdated }
        return index
      }
      let replaced = try folder.manifest()
      guard replaced != written else { throw .damaged }
      written = replaced
    }
    throw .damaged
  }
}

extension EventIndex {
  /// Keeps the sorted runs of the last opened index open, with the results of their page checks. For a process
  /// that serves many requests about one store.
  package static func keepRunsOpen() { OpenRuns.shared.keep() }

  /// Returns the UTC days on which some of the subjects have events. Only their partitions are read.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  package func days(ofSubjects subjects: [String]) throws(FunnelError) -> Set<CivilDate> {
    let keys = subjects.map { Hash128(of: Array($0.utf8).span) }
    var days: Set<CivilDate> = []
    for (partition, keys) in Dictionary(
      grouping: keys, by: { Int(truncatingIfNeeded: $0.high >> IndexFormat.partitionShift) })
    {
      days.formUnion(try self.days(ofSubjects: Set(keys), inPartition: partition))
    }
    return days
  }

  private func days(ofSubjects keys: Set<Hash128>, inPartition partition: Int) throws(FunnelError) -> Set<CivilDate> {
    var days: Set<CivilDate> = []
    var columns = SubjectReader.Columns()
    columns.attempts = false
    columns.context = false
    columns.props = false
    for run in runs where run.subjectCount(ofPartition: partition) > 0 {
      var reader = try SubjectReader(run, partition: partition, columns: columns)
      var missing = keys.count
      while missing > 0, reader.next() {
        defer { reader.skip() }
        guard keys.contains(reader.key) else { continue }
        missing -= 1
        for event in 0..<reader.plain.count { days.insert(Timestamp(milliseconds: reader.plain.time(event)).day) }
      }
    }
    return days
  }
}
