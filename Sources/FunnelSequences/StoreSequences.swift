package import FunnelIndex
package import FunnelDecoding
package import FunnelStore
package import FunnelModel

/// Reads the event sequences of a store from the fastest source that can answer the query.
///
/// That is the index, completed with the events of later commits, or the log if the index is missing, damaged,
/// outdated or lacks columns that the query needs. Both sources produce the same event sequences.
package enum StoreSequences {
  /// The result of aggregating a store's event sequences, and the source that they were read from.
  package struct Folded<Result> {
    /// The value that `body` returned.
    package let result: Result
    /// The last commit in the index, or `nil` if all events were read from the log.
    package let indexedCommit: Int?
    /// The statistics of the log, which are computed on demand.
    package let contents: StoreContents
    /// The number of subjects with events in the query's period that were skipped because the store lists them as internal.
    package let internalSubjects: Int
  }

  /// Calls `body` with the event sequences of a store, without those of internal subjects (unless
  /// `ReportQuery/countsInternal`).
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - catalog: The flow definitions in force.
  ///   - query: The query of the report.
  ///   - flows: Indices in the catalog of the flow versions the report is about.
  ///   - threads: The number of threads that read.
  ///   - memoryBytesMax: The number of bytes of memory that events may use if the log is read.
  ///   - progress: Called repeatedly while the log is read.
  ///   - body: Aggregates the event sequences. It is called again, with those of the log, if damage to the index is
  ///     found midway.
  /// - Throws: `inputOutput` if the log is damaged, and any error of `body`.
  package static func fold<Result>(
    _ store: StoreReader, catalog: FlowCatalog, query: ReportQuery, flows: Set<Int>, threads: Int,
    memoryBytesMax: Int = Limits.memoryBytesMaxDefault, progress: (InputProgress) -> Void = { _ in },
    _ body: (any SequenceSource) throws(FunnelError) -> Result
  ) throws(FunnelError) -> Folded<Result> {
    let internalSubjects = query.countsInternal ? nil : try store.internalSubjects()
    let leftOut = LeftOutSubjects()
    var query = query
    if internalSubjects != nil { query.needs.subjects = true }
    func external(_ source: some SequenceSource) -> any SequenceSource {
      guard let internalSubjects else { return source }
      return ExternalSubjects(source, without: internalSubjects, query: query, leftOut: leftOut)
    }
    if let (source, commit) = indexed(store, catalog, query, flows, threads) {
      do throws(FunnelError) {
        let result = try body(external(source))
        return Folded(
          result: result, indexedCommit: commit, contents: source.contents, internalSubjects: leftOut.count)
      } catch {
        // The index is damaged in a section that was not read before. The log has all events.
        guard error.code == .inputOutput else { throw error }
      }
    }
    let (result, counts) = try SequenceTable.withSequences(
      of: .store(store, threads: threads, memoryBytesMax: memoryBytesMax), catalog: catalog, query: query, flows: flows,
      progress: progress
    ) { (table) throws(FunnelError) in try body(external(table)) }
    return Folded(
      result: result, indexedCommit: nil, contents: StoreContents(counts.contents), internalSubjects: leftOut.count)
  }

  /// Returns a source that reads the index, and the last commit in the index; or `nil` if the index can't answer the query.
  private static func indexed(
    _ store: StoreReader, _ catalog: FlowCatalog, _ query: ReportQuery, _ flows: Set<Int>, _ threads: Int
  ) -> (IndexSource, commit: Int)? {
    // The index stores attempts only as hashes.
    guard !query.needs.attempts, let written = EventIndex.open(for: store),
      let index = try? written.completed(with: store, threads: threads),
      let source = try? IndexSource(index, catalog: catalog, query: query, flows: flows)
    else { return nil }
    return (source, written.commit)
  }
}
