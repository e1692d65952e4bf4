internal import Dispatch
package import FunnelIngest
package import FunnelStore
internal import FunnelModel
internal import FunnelSystem

/// Tells an ingest which events the store holds, by the index, and writes into the index what it adds.
///
/// The index is derived: where it can't be read it is made anew from the log, and where that fails too, or it can't be written, the ingest
/// goes on without it, asks the log itself, and says so in ``problem``.
///
/// A batch is asked about while the one before is being written: its run stands ready in memory then and is asked like those of the index.
package final class IndexedEvents: KnownEvents, @unchecked Sendable {
  /// What was recorded of a batch's blocks.
  package struct Recording: Sendable {
    var blocks: [RecordedBlock] = []
    var dictionaries: [IndexDictionaries] = []
  }

  /// What the thread that asks and the one that notes commits share.
  private struct State {
    /// What the index holds; nil where it can't be used.
    var index: JourneyIndex?
    /// Of the batches that were asked about and not noted yet, oldest first, the runs; nil where one was not asked of the index.
    var pending: [PreparedRun?] = []
    /// Why the index is not used any more, in one sentence.
    var problem: String?
  }

  private let state = Guarded(State())
  private let noted = DispatchSemaphore(value: 0)
  private let pool = IndexRecorderPool()
  private var recording = Recording()
  private let storeWriter: StoreWriter?
  private let store: StoreReader?
  private let threads: Int
  /// Of the thread that notes commits; of the one that asks only while nothing is pending.
  private var indexWriter: JourneyIndexWriter?
  private var scan: ScannedStore?
  /// Of the thread that asks.
  private let numbering = DictionaryNumbering()

  /// Why the index is not used any more, in one sentence.
  package var problem: String? { state.withLock { $0.problem } }

  /// For an ingest into a store, whose lock is held. What the index lacks is added from the log first.
  package init(into writer: StoreWriter, threads: Int) {
    storeWriter = writer
    store = writer.reader
    self.threads = threads
    openForWriting()
  }

  /// For an ingest that only says what it would do.
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
          // Perhaps the index is damaged: once more, from the log.
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
    // What is being committed is looked for too.
    let index = state.withLock { state in
      state.index.map { JourneyIndex(runs: $0.runs + state.pending.compactMap { $0?.run }, commit: $0.commit) }
    }
    guard let index else { throw FunnelError(.inputOutput, "the index can't be used") }
    let union = DictionaryUnion(recording.dictionaries, numbering)
    let batch = try IndexBatch(recording.blocks, union, threads: threads)
    guard batch.isIndexable else { throw FunnelError(.inputOutput, "there are too many different events to be indexed") }
    return try PreparedRun(batch, of: events, notIn: index)
  }

  /// Waits until every batch that was asked about is noted.
  private func waitUntilNoted() {
    while state.withLock({ !$0.pending.isEmpty }) { noted.wait() }
  }

  /// Gives the index up, or begins it anew where that has not been tried.
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
        state.index = JourneyIndex(runs: index.runs + [run.run], commit: index.commit)
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
    let writer = JourneyIndexWriter(store: storeWriter.reader, fileSystem: storeWriter.fileSystem, threads: threads)
    do {
      try writer.catchUp(with: storeWriter.reader)
      indexWriter = writer
      state.withLock { $0.index = writer.index }
    } catch {
      let problem = (error as? FunnelError)?.message
      state.withLock { $0.problem = problem }
    }
  }

  private static func index(of store: StoreReader?, threads: Int) -> JourneyIndex? {
    let nothing = JourneyIndex(runs: [], commit: 0)
    guard let store else { return nothing }
    return try? (JourneyIndex.open(for: store) ?? nothing).completed(with: store, threads: threads)
  }
}
