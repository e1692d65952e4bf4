internal import Dispatch
package import FunnelIngest
package import FunnelStore
internal import FunnelModel
internal import FunnelSystem

/// Finds the events that a store already holds, by the index, and adds the events of an ingest to the index.
///
/// The index is derived. If it can't be read, it is rebuilt from the log; if that fails too, or it can't be written, the ingest continues
/// without it, searches the log itself, and reports the reason in ``problem``.
///
/// A batch is looked up while the one before it is being written: the earlier batch's run is in memory by then, and is searched like the
/// runs of the index.
package final class IndexedEvents: KnownEvents, @unchecked Sendable {
  /// The rows and dictionaries recorded from a batch's blocks.
  package struct Recording: Sendable {
    var blocks: [RecordedBlock] = []
    var dictionaries: [IndexDictionaries] = []
  }

  /// The state shared by the thread that looks up duplicates and the thread that notes commits.
  private struct State {
    /// The current index; nil if it can't be used.
    var index: EventIndex?
    /// The runs of the batches that were looked up and not noted yet, oldest first; nil for a batch not looked up in the index.
    var pending: [PreparedRun?] = []
    /// The reason why the index is no longer used, in one sentence.
    var problem: String?
  }

  private let state = Guarded(State())
  private let noted = DispatchSemaphore(value: 0)
  private let pool = IndexRecorderPool()
  private var recording = Recording()
  private let storeWriter: StoreWriter?
  private let store: StoreReader?
  private let threads: Int
  /// Used by the thread that notes commits; the thread that looks up duplicates may use it only while nothing is pending.
  private var indexWriter: EventIndexWriter?
  private var scan: ScannedStore?
  /// Used by the thread that looks up duplicates.
  private let numbering = DictionaryNumbering()

  /// The reason why the index is no longer used, in one sentence.
  package var problem: String? { state.withLock { $0.problem } }

  /// Opens the index for an ingest into a store whose lock is held. Events that the index lacks are first added from the log.
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
    var prepared: PreparedRun?
    if scan == nil {
      for _ in 0..<2 where prepared == nil {
        do throws(FunnelError) {
          prepared = try run(of: events, recording)
        } catch {
          // The index may be damaged: try once more with one rebuilt from the log.
          waitUntilNoted()
          abandon(because: error)
          if indexWriter == nil { break }
        }
      }
    }
    if prepared == nil, scan == nil { scan = ScannedStore(storeWriter?.reader ?? store, threads: threads) }
    let isDropped = try prepared?.isDropped ?? scan?.duplicates(in: try events.withIdentities(), ()) ?? []
    state.withLock { $0.pending.append(prepared) }
    return isDropped
  }

  private func run(of events: EventBatch, _ recording: Recording) throws(FunnelError) -> PreparedRun {
    // The batches being committed are searched too.
    let index = state.withLock { state in
      state.index.map { EventIndex(runs: $0.runs + state.pending.compactMap { $0?.run }, commit: $0.commit) }
    }
    guard let index else { throw FunnelError(.inputOutput, "the index can't be used") }
    let union = DictionaryUnion(recording.dictionaries, numbering)
    let batch = try IndexBatch(recording.blocks, union, threads: threads)
    guard batch.isIndexable else { throw FunnelError(.inputOutput, "there are too many different events to be indexed") }
    return try PreparedRun(batch, of: events, notIn: index)
  }

  /// Waits until every batch that was looked up has been noted.
  private func waitUntilNoted() {
    while state.withLock({ !$0.pending.isEmpty }) { noted.wait() }
  }

  /// Abandons the index, or rebuilds it if that has not been tried before.
  private func abandon(because error: FunnelError) {
    let isFirst = state.withLock { state in
      defer { (state.problem, state.index) = (state.problem ?? error.message, nil) }
      return state.problem == nil
    }
    guard isFirst, let indexWriter else {
      indexWriter = nil
      return
    }
    do {
      try indexWriter.reset()
      if let storeWriter { try indexWriter.catchUp(with: storeWriter.reader) }
      state.withLock { ($0.problem, $0.index) = (nil, indexWriter.index) }
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
      (problem, indexWriter) = (error.message, nil)
    }
    state.withLock { state in
      if !state.pending.isEmpty { state.pending.removeFirst() }
      if let problem {
        (state.problem, state.index) = (problem, nil)
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

  private static func index(of store: StoreReader?, threads: Int) -> EventIndex? {
    let nothing = EventIndex(runs: [], commit: 0)
    guard let store else { return nothing }
    return try? (EventIndex.open(for: store) ?? nothing).completed(with: store, threads: threads)
  }
}
