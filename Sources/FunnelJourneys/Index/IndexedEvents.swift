package import FunnelIngest
package import FunnelLog
internal import FunnelModel

/// Tells an ingest which events the store holds, by the index, and writes into the index what it adds.
///
/// The index is derived: where it can't be read it is made anew from the log, and where that fails too, or it can't be written, the ingest
/// goes on without it, asks the log itself, and says so in ``problem``.
package final class IndexedEvents: KnownEvents, @unchecked Sendable {
  /// What was recorded of a batch's blocks.
  package struct Recording: Sendable {
    var blocks: [RecordedBlock] = []
    var dictionaries: [IndexDictionaries] = []
  }

  private let pool = IndexRecorderPool()
  private var recording = Recording()
  private let storeWriter: StoreWriter?
  private let store: StoreReader?
  private let threads: Int
  private var indexWriter: JourneyIndexWriter?
  /// Of a run that writes nothing: what the store holds, and would hold.
  private var readIndex: JourneyIndex?
  private var scan: ScannedStore?
  private var batch: IndexBatch?
  /// Why the index is not used any more, in one sentence.
  package private(set) var problem: String?

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
    readIndex = Self.index(of: store, threads: threads)
    if readIndex == nil { scan = ScannedStore(store, threads: threads) }
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

  package func known(among blocks: [DecodedBlock], _ recording: Recording) throws -> [Bool] {
    batch = nil
    if scan == nil {
      for _ in 0..<2 {
        do throws(FunnelError) {
          return try known(recording)
        } catch {
          // Perhaps the index is damaged: once more, from the log.
          abandon(because: error)
          if indexWriter == nil { break }
        }
      }
    }
    if scan == nil { scan = ScannedStore(storeWriter?.reader ?? store, threads: threads) }
    return try scan?.known(among: blocks) ?? []
  }

  private func known(_ recording: Recording) throws(FunnelError) -> [Bool] {
    guard let index = indexWriter?.index ?? readIndex else {
      throw FunnelError(.inputOutput, "the index can't be used")
    }
    let batch = try IndexBatch(recording.blocks, dictionaries: recording.dictionaries, threads: threads)
    guard batch.isIndexable else { throw FunnelError(.inputOutput, "there are too many different events to be indexed") }
    let selection = try batch.duplicates(of: index)
    self.batch = batch
    return selection.flatMap(\.self)
  }

  /// Gives the index up, or begins it anew where that has not been tried.
  private func abandon(because error: FunnelError) {
    let isFirst = problem == nil
    problem = error.message
    readIndex = nil
    guard isFirst, let indexWriter else {
      indexWriter = nil
      return
    }
    do {
      try indexWriter.reset()
      if let storeWriter { try indexWriter.catchUp(with: storeWriter.reader) }
      problem = nil
    } catch {
      self.indexWriter = nil
    }
  }

  package func noteCommitted(_ recording: Recording, isDropped: [Bool], as commit: Commit?) throws {
    guard let batch else { return }
    self.batch = nil
    var start = 0
    let kept = recording.blocks.map { block in
      defer { start += block.count }
      return isDropped[start..<start + block.count].map { !$0 }
    }
    do throws(FunnelError) {
      if let indexWriter, let commit {
        try indexWriter.append(commit.events > 0 ? batch : nil, keeping: kept, as: commit)
      } else if let index = readIndex, isDropped.contains(false) {
        readIndex = JourneyIndex(runs: index.runs + [try batch.memoryRun(keeping: kept)], commit: index.commit)
      }
    } catch {
      (problem, indexWriter, readIndex) = (error.message, nil, nil)
    }
  }

  package func finish() {
    do throws(FunnelError) {
      try indexWriter?.finish()
    } catch {
      problem = error.message
    }
  }

  private func openForWriting() {
    guard let storeWriter else { return }
    let writer = JourneyIndexWriter(store: storeWriter.reader, fileSystem: storeWriter.fileSystem, threads: threads)
    do {
      try writer.catchUp(with: storeWriter.reader)
      indexWriter = writer
    } catch {
      problem = (error as? FunnelError)?.message
    }
  }

  private static func index(of store: StoreReader?, threads: Int) -> JourneyIndex? {
    let nothing = JourneyIndex(runs: [], commit: 0)
    guard let store else { return nothing }
    return try? (JourneyIndex.open(for: store) ?? nothing).completed(with: store, threads: threads)
  }
}
