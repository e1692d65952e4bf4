public import FunnelIndex
public import FunnelIngest
public import FunnelStore
public import FunnelModel

/// The histories of a store, from the fastest source: the index, completed with what later commits added to the log; or the log alone, if
/// the index is missing, damaged or outdated, or lacks what the query needs. Both give the same result.
public enum StoreHistories {
  /// Folds a store's histories.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - catalog: The flow definitions in force.
  ///   - query: The query of the report.
  ///   - flows: Indices in the catalog of the flow versions the report is about.
  ///   - threads: The number of threads that read.
  ///   - memoryBytesMax: The number of bytes of memory that events may use if the log is read.
  ///   - progress: Called from time to time if the log is read.
  ///   - indexed: Called before the histories are folded, with the last commit whose events come from the index, or 0 if all come
  ///     from the log.
  ///   - contents: Called after the histories have been folded, with the contents of the log, which are counted only on demand.
  ///   - body: Folds the histories. It is called again if its earlier result must be discarded.
  /// - Throws: `inputOutput` if the log is damaged, and any error of `body`.
  public static func with<Result>(
    of store: StoreReader, catalog: FlowCatalog, query: ReportQuery, flows: Set<Int>, threads: Int,
    memoryBytesMax: Int = Limits.memoryBytesMaxDefault, progress: (InputProgress) -> Void,
    indexed noteIndexed: (Int) -> Void = { _ in }, contents noteContents: (StoreContents) -> Void = { _ in },
    _ body: (any HistorySource) throws(FunnelError) -> Result
  ) throws(FunnelError) -> Result {
    if let (source, commit) = indexed(store, catalog, query, flows, threads) {
      do throws(FunnelError) {
        noteIndexed(commit)
        let result = try body(source)
        noteContents(source.contents)
        return result
      } catch {
        // A part of the index that was not read before is damaged. The log has all events.
        guard error.code == .inputOutput else { throw error }
      }
    }
    noteIndexed(0)
    let (result, counts) = try HistoryTable.withHistories(
      of: .store(store, threads: threads, memoryBytesMax: memoryBytesMax), catalog: catalog, query: query, flows: flows,
      progress: progress
    ) { (table) throws(FunnelError) in try body(table) }
    noteContents(StoreContents(counts.contents))
    return result
  }

  private static func indexed(
    _ store: StoreReader, _ catalog: FlowCatalog, _ query: ReportQuery, _ flows: Set<Int>, _ threads: Int
  ) -> (IndexSource, commit: Int)? {
    guard let written = JourneyIndex.open(for: store),
      let index = try? written.completed(with: store, threads: threads),
      let source = try? IndexSource(index, catalog: catalog, query: query, flows: flows)
    else { return nil }
    return (source, written.commit)
  }
}
