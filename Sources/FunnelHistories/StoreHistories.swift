public import FunnelIndex
public import FunnelIngest
public import FunnelStore
public import FunnelModel

/// The histories of a store, from wherever they are had fastest: the index, with what later commits added to the log; or the log alone,
/// where the index is missing, damaged or old, or leaves out what the query asks for. Both give the same.
public enum StoreHistories {
  /// Hands out a store's histories.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - catalog: The flow definitions in force.
  ///   - query: What the report asks.
  ///   - flows: Indices in the catalog of the flow versions the report is about.
  ///   - threads: How many threads read.
  ///   - memoryBytesMax: What events may take of memory, where the log is read.
  ///   - progress: Called now and then where the log is read.
  ///   - indexed: Called before the histories are folded with the last commit whose events came from the index; 0 where all come
  ///     from the log.
  ///   - contents: Called after the histories were folded with what the log has, to be counted where that is of use.
  ///   - body: Folds the histories. Called again where what was counted before is not to be used.
  /// - Throws: `inputOutput` where the log is damaged, and what `body` throws.
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
        // A part of the index that was not looked at before is damaged. The log has everything.
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
