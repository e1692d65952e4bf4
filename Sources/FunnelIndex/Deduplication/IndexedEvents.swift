internal import Dispatch
package import FunnelDecoding
package import FunnelIngest
package import FunnelStore
internal import FunnelModel
internal import FunnelSystem

/// The search for duplicates by the index during an ingest, which also adds the new events to the index.
///
/// An index that can't be read is rebuilt from the log. If that fails, or if the index can't be written, the
/// ingest continues without the index: duplicates are searched in the log, and ``problem`` has the reason.
///
/// A batch is searched while the batch before it is being written. The sorted run of the earlier batch is in
/// memory, and is searched like the runs of the index.
package final class IndexedEvents: KnownEvents, @unchecked Sendable {
  /// The rows recorded from the blocks of a batch, with the dictionaries of their recorders.
  package struct Recording: Sendable {
    var blocks: [RecordedBlock] = []
    var dictionaries: [IndexDictionaries] = []
  }

  /// The state shared by the thread that searches for duplicates and the thread that is notified of commits.
  private struct State {
    /// The current index; `nil` if it can't be used.
    var index: EventIndex?
    /// The batches that were searched and not yet reported as committed, oldest first; `nil` for a batch that
    /// was searched in the log.
    var pending: [PreparedRun?] = []
    /// The reason why the index is no longer used, in one sentence; `nil` while it is used.
    var problem: String?
  }

  private let state = Guarded(State())
  /// Signaled for each batch reported by ``noteCommitted(as:)``.
  private let noted = DispatchSemaphore(value: 0)
  private let pool = IndexRecorderPool()
  private var recording = Recording()
  /// The writer of the store; `nil` in a dry run.
  private let storeWriter: StoreWriter?
  /// The store as it was at the start; `nil` if it does not exist.
  private let store: StoreReader?
  private let threads: Int
  /// The writer of the index; `nil` if the index is not written. Owned by the thread that is notified of
  /// commits: the thread that searches for duplicates may use it only while no batch is pending.
  private var indexWriter: EventIndexWriter?
  /// The search in the log; `nil` while the index is used.
  private var scan: ScannedStore?
  /// Owned by the thread that searches for duplicates.
  private let numbering = DictionaryNumbering()

  /// The reason why the index is no longer used, in one sentence; `nil` while it is used.
  package var problem: String? { state.withLock { $0.problem } }

  /// Opens the index for an ingest. Requires the store's lock. Events that the index lacks are first added from
  /// the log.
  package init(into writer: StoreWriter, threads: Int) {
    storeWriter = writer
    store = writer.reader
    self.threads = threads
    openForWriting()
  }

  /// Opens the index for a dry run, which writes nothing.
  package init(dryRunAgainst store: StoreReader?, threads: Int) {
    storeWriter = nil
    self.store = store
    self.threads = threads
    let index = Self.index(of: store, threads: threads)
    state.withLock { $0.index = index }
    if index == nil { scan = ScannedStore(store, threads: threads) }
  }

  package var wants: DecodingWants { pool.wants(records: true) }

  package func record(_ block: inout DecodedBlock) {
    if let recorded = pool.take(&block) { recording.blocks.append(recorded) }
  }

  package func takeRecording() -> Recording {
    defer { recording = Recording() }
    recording.dictionaries = pool.dictionaries
    return recording
  }

  package func duplicates(in events: EventBatch, _ recording: Recording) throws -> [Bool] {
    let prepared = scan == nil ? searchIndex(events, recording) : nil
    let isDropped = try prepared?.isDropped ?? searchLog(events)
    state.withLock { $0.pending.append(prepared) }
    return isDropped
  }

  /// Searches a batch in the index. Returns `nil` if the index can't be used any more.
  private func searchIndex(_ events: EventBatch, _ recording: Recording) -> PreparedRun? {
    for _ in 0..<2 {
      do throws(FunnelError) {
        return try run(of: events, recording)
      } catch {
        // The index may be damaged. Rebuild it from the log and try once more.
        waitUntilNoted()
        abandon(because: error)
        if indexWriter == nil { return nil }
      }
    }
    return nil
  }

  /// Returns whether the log contains each event of a batch.
  private func searchLog(_ events: EventBatch) throws -> [Bool] {
    let scan = scan ?? ScannedStore(storeWriter?.reader ?? store, threads: threads)
    self.scan = scan
    return try scan.duplicates(in: try events.withIdentities(), ())
  }

  /// Searches a batch in the index and in the pending batches.
  private func run(of events: EventBatch, _ recording: Recording) throws(FunnelError) -> PreparedRun {
    // The pending batches are not in the index yet.
    let index = state.withLock { state in
      state.index.map { EventIndex(runs: $0.runs + state.pending.compactMap { $0?.run }, commit: $0.commit) }
    }
    guard let index else { throw FunnelError(.inputOutput, "the index can't be used") }
    let union = DictionaryUnion(recording.dictionaries, numbering)
    let batch = try IndexBatch(recording.blocks, union, threads: threads)
    guard batch.isIndexable else { throw FunnelError(.inputOutput, "there are too many different events to be indexed") }
    return try PreparedRun(batch, of: events, notIn: index)
  }

  /// Waits until all pending batches are reported as committed.
  private func waitUntilNoted() {
    while state.withLock({ !$0.pending.isEmpty }) { noted.wait() }
  }

  /// Rebuilds the index after the first error, and stops using it after a second one.
  private func abandon(because error: FunnelError) {
    let isFirst = state.withLock { state in
      let isFirst = state.problem == nil
      if isFirst { state.problem = error.message }
      state.index = nil
      return isFirst
    }
    guard isFirst, let indexWriter else {
      indexWriter = nil
      return
    }
    do {
      try indexWriter.reset()
      if let storeWriter { try indexWriter.catchUp(with: storeWriter.reader) }
      state.withLock { state in
        state.problem = nil
        state.index = indexWriter.index
      }
    } catch {
      self.indexWriter = nil
    }
  }

  package func noteCommitted(as commit: Commit?) {
    var problem: String?
    let run = state.withLock { $0.pending.first ?? nil }
    do throws(FunnelError) {
      if let indexWriter, let commit, let run { try indexWriter.append(commit.events > 0 ? run : nil, as: commit) }
    } catch {
      problem = error.message
      indexWriter = nil
    }
    state.withLock { state in
      if !state.pending.isEmpty { state.pending.removeFirst() }
      if let problem {
        state.problem = problem
        state.index = nil
      } else if let indexWriter {
        state.index = indexWriter.index
      } else if storeWriter == nil, let run, let index = state.index {
        state.index = EventIndex(runs: index.runs + [run.run], commit: index.commit)
      }
    }
    noted.signal()
  }

  package func finish() {
    do throws(FunnelError) {
      try indexWriter?.finish()
    } catch {
      state.withLock { $0.problem = error.message }
    }
  }

  /// Opens the index, and adds the events that it lacks. On failure, ``problem`` is set.
  private func openForWriting() {
    guard let storeWriter else { return }
    let writer = EventIndexWriter(store: storeWriter.reader, fileSystem: storeWriter.fileSystem, threads: threads)
    do {
      try writer.catchUp(with: storeWriter.reader)
      indexWriter = writer
      state.withLock { $0.index = writer.index }
    } catch {
      let problem = (error as? FunnelError)?.message
      state.withLock { $0.problem = problem }
    }
  }

  /// Returns an index of all events of a store, or `nil` if it can't be read or completed.
  private static func index(of store: StoreReader?, threads: Int) -> EventIndex? {
    let empty = EventIndex(runs: [], commit: 0)
    guard let store else { return empty }
    return try? ((try? EventIndex.open(for: store)) ?? empty).completed(with: store, threads: threads)
  }
}
