package import FunnelIndex
package import FunnelDecoding
package import FunnelStore
package import FunnelModel

/// Reads the event sequences of a store from its index if the index can answer the query, and from its log otherwise.
///
/// - The index is used if it can be opened (``EventIndex/open(for:)``), has the columns that the query needs, and has
///   few enough segments. Events of later commits are read from the log and added in memory.
/// - The log is used if one of these conditions fails, or if a section of the index turns out to be damaged while it
///   is read. All results from the index are then discarded.
///
/// Both sources produce the same event sequences.
package enum IndexOrLog {
  /// The result of aggregating a store's event sequences, and the source that they were read from.
  package struct Outcome<Result> {
    /// The value that `body` returned.
    package let result: Result
    /// The source of the event sequences.
    package let origin: Origin
    /// The statistics of the log, which are computed on demand.
    package let contents: StoreContents
    /// The number of subjects with events in the query's period that were skipped because the store lists them as internal.
    package let internalSubjects: Int

    /// The last commit in the index, or `nil` if all events were read from the log.
    package var indexedCommit: Int? {
      if case .index(let commit) = origin { commit } else { nil }
    }
  }

  /// The source of event sequences.
  package enum Origin: Equatable, Sendable {
    /// The index, which covers all events up to a commit, and the log for later commits.
    case index(throughCommit: Int)
    /// The log alone.
    case log(because: LogReason)
  }

  /// The reason why the log is read.
  package enum LogReason: Equatable, Sendable {
    /// There is no index that covers the log, or it is damaged.
    case unavailable(IndexProblem)
    /// The index lacks columns or event types that the query needs, or there would be too many segments or sorted runs.
    case insufficient
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
  package static func withSequences<Result>(
    of store: StoreReader, catalog: FlowCatalog, query: ReportQuery, flows: Set<Int>, threads: Int,
    memoryBytesMax: Int = Limits.memoryBytesMaxDefault, progress: (InputProgress) -> Void = { _ in },
    _ body: (any SequenceSource) throws(FunnelError) -> Result
  ) throws(FunnelError) -> Outcome<Result> {
    let internalSubjects = query.countsInternal ? nil : try store.internalSubjects()
    let leftOut = LeftOutSubjects()
    var query = query
    if internalSubjects != nil { query.needs.subjects = true }
    func external(_ source: some SequenceSource) -> any SequenceSource {
      guard let internalSubjects else { return source }
      return ExternalSubjects(source, without: internalSubjects, query: query, leftOut: leftOut)
    }
    let reason: LogReason
    switch index(of: store, catalog, query, flows, threads) {
    case .unusable(let why): reason = why
    case .usable(let source, let commit):
      do throws(FunnelError) {
        let result = try body(external(source))
        return Outcome(
          result: result, origin: .index(throughCommit: commit), contents: source.contents, internalSubjects: leftOut.count)
      } catch {
        // The index is damaged in a section that was not read before. The log has all events.
        guard error.code == .inputOutput else { throw error }
        reason = .unavailable(.damaged)
      }
    }
    let (result, counts) = try SequenceTable.withSequences(
      of: .store(store, threads: threads, memoryBytesMax: memoryBytesMax), catalog: catalog, query: query, flows: flows,
      progress: progress
    ) { (table) throws(FunnelError) in try body(external(table)) }
    return Outcome(
      result: result, origin: .log(because: reason), contents: StoreContents(counts.contents), internalSubjects: leftOut.count)
  }

  /// The index of a store, if it can answer a query.
  private enum Index {
    case usable(IndexSource, commit: Int)
    case unusable(LogReason)
  }

  /// Opens the index of a store for a query.
  private static func index(
    of store: StoreReader, _ catalog: FlowCatalog, _ query: ReportQuery, _ flows: Set<Int>, _ threads: Int
  ) -> Index {
    // The index stores attempts only as hashes.
    guard !query.needs.attempts else { return .unusable(.insufficient) }
    do {
      let written = try EventIndex.open(for: store)
      guard let index = try written.completed(with: store, threads: threads),
        let source = try IndexSource(index, catalog: catalog, query: query, flows: flows, threads: threads)
      else { return .unusable(.insufficient) }
      return .usable(source, commit: written.commit)
    } catch let problem as IndexProblem {
      return .unusable(.unavailable(problem))
    } catch {
      // A section of the index is damaged, or a later part of the log. Reading the log reports damage of the log.
      return .unusable(.unavailable(.damaged))
    }
  }
}
