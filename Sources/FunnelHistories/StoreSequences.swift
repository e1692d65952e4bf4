public import FunnelIndex
public import FunnelIngest
public import FunnelStore
public import FunnelModel

/// The histories of a store, from the fastest source: the index, completed with what later commits added to the log; or the log alone, if
/// the index is missing, damaged or outdated, or lacks what the query needs. The histories are the same (`EventIndexTests` compares them).
public enum StoreSequences {
  /// The result of folding a store's histories, and where they came from.
  public struct Folded<Result> {
    public let result: Result
    /// The last commit whose events came from the index, or nil if all came from the log.
    public let indexedCommit: Int?
    /// The contents of the log, which are counted only on demand.
    public let contents: StoreContents
    /// The number of subjects with events in the query's period that were left out because the store lists them as internal.
    public let internalSubjects: Int
  }

  /// Folds a store's histories, without those of subjects that the store lists as internal (`ReportQuery/countsInternal`).
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - catalog: The flow definitions in force.
  ///   - query: The query of the report.
  ///   - flows: Indices in the catalog of the flow versions the report is about.
  ///   - threads: The number of threads that read.
  ///   - memoryBytesMax: The number of bytes of memory that events may use if the log is read.
  ///   - progress: Called from time to time if the log is read.
  ///   - body: Folds the histories. It is called a second time, with those of the log, if the index proves damaged on the way.
  /// - Throws: `inputOutput` if the log is damaged, and any error of `body`.
  public static func fold<Result>(
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
        // A part of the index that was not read before is damaged. The log has all events.
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

  /// Returns the histories of the index with the number of the last commit it holds, or nil if it can't answer the query.
  private static func indexed(
    _ store: StoreReader, _ catalog: FlowCatalog, _ query: ReportQuery, _ flows: Set<Int>, _ threads: Int
  ) -> (IndexSource, commit: Int)? {
    // The index has the attempts only as hashes.
    guard !query.needs.attempts, let written = EventIndex.open(for: store),
      let index = try? written.completed(with: store, threads: threads),
      let source = try? IndexSource(index, catalog: catalog, query: query, flows: flows)
    else { return nil }
    return (source, written.commit)
  }
}
