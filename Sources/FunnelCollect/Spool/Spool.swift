package import FunnelModel
package import FunnelSystem

// The spool
// =========
//
// Constraints. A batch is acknowledged once it is on the disk. A crash, a full disk or a power failure at any time loses
// nothing that was acknowledged, and leaves no part of a line in a file that is finished. Files are whole NDJSON, so the
// folder is an inbox of `funnel ingest` and `funnel nightly` as it is.
//
// Layout.
//
//     collect-2026-11-20T10-15-30-123Z-9f86d081884c7d65-000001.ndjson       events
//     collect-2026-11-20T10-16-30-456Z-9f86d081884c7d65-000003.ndjson.part  events; being written
//     rejected/collect-….ndjson                                            dead letters, in the form of a store's `rejected/`
//     .collect.lock                                                        the lock of the process that writes
//
// The dead letters have no folders of days and are not compressed, unlike those of a store: each group of batches has to be
// on the disk with one flush, and a reader must not need what is not flushed yet.
//
// Group commit. One thread takes all waiting batches, writes them, flushes each file once and calls the completions; the
// next batches gather meanwhile. A file is flushed before its new name, and both before the first completion.
//
// Failure. After a failed write or flush, the open files are cut to what was acknowledged and finished. The next batch
// begins a new file. Flushing again would be no help: the kernel may have dropped what it could not write.
//
// Recovery. A file that an earlier process left open is cut behind its last whole line and finished.

/// A folder of events that are on the disk, waiting to be ingested. Safe for many threads.
///
///     let spool = try Spool(folder: "spool", settings: SpoolSettings(now: { .now }))
///     spool.append(SpoolBatch(events: lines)) { result in … }
///     spool.close()
package final class Spool: Sendable {
  private let queue: SpoolQueue
  private let inventory: SpoolInventory
  private let now: @Sendable () -> Timestamp
  private let committer = ThreadGroup()
  /// The lock, until the spool is closed.
  private let lock: Guarded<File?>

  /// Opens the spool in a folder, which is created if it is missing, and finishes the files that an earlier process left.
  ///
  /// - Throws: `cannotCreate` if the folder can't be created or written to; `locked` if another process has the spool.
  package init(folder path: String, settings: SpoolSettings) throws(FunnelError) {
    let folder = SpoolFolder(path, settings.fileSystem)
    lock = Guarded(try folder.prepare(lockTimeout: settings.lockTimeout))
    do throws(FunnelError) {
      try SpoolRecovery(folder).run()
    } catch {
      throw FunnelError(.cannotCreate, error.message)
    }
    let queue = SpoolQueue(bytesMax: settings.waitingBytesMax)
    let inventory = SpoolInventory(folder)
    self.queue = queue
    self.inventory = inventory
    now = settings.now
    inventory.refresh()
    let loop = Committer(queue: queue, writer: SpoolWriter(folder, settings, inventory))
    committer.start { loop.run() }
  }

  deinit { close() }

  /// Adds a batch, and calls the completion once it is on the disk or has failed.
  ///
  /// - Parameter completion: Called exactly once: at once on this thread if the spool is overloaded or closed, otherwise
  ///   later on the thread that writes. It must not wait for another batch, nor close the spool.
  package func append(_ batch: SpoolBatch, completion: @escaping @Sendable (Result<Void, SpoolFailure>) -> Void) {
    if let failure = queue.add(SpoolQueue.Entry(batch: batch, completion: completion)) { completion(.failure(failure)) }
  }

  /// Writes what waits, finishes the open files, ends the thread and releases the lock. Does nothing if the spool is closed.
  package func close() {
    queue.close()
    committer.wait()
    lock.withLock { $0 = nil }
  }

  /// Returns the paths of the files that can be ingested: those of events, then those of dead letters, each sorted by time.
  ///
  /// - Throws: `noInput` or `inputOutput` if the folder can't be read.
  package func finishedFiles() throws(FunnelError) -> [StoragePath] { try inventory.finishedFiles() }

  /// The state of the spool. The sizes of files that other processes removed are at most a second old.
  package var statistics: SpoolStatistics { inventory.statistics(at: now()) }
}

/// The thread of a spool that writes.
private final class Committer: Sendable {
  private let queue: SpoolQueue
  private let writer: Guarded<SpoolWriter>

  init(queue: SpoolQueue, writer: SpoolWriter) {
    self.queue = queue
    self.writer = Guarded(writer)
  }

  /// Writes group after group until the queue is closed.
  func run() {
    while true {
      let group = queue.takeAll(until: writer.withLock { $0.deadline })
      commit(group.entries)
      writer.withLock { $0.finishDueFiles() }
      if group.isLast { break }
    }
    // A step that fails has no later attempt, so there are two.
    for _ in 0..<2 { writer.withLock { $0.finishFiles() } }
  }

  private func commit(_ entries: [SpoolQueue.Entry]) {
    guard !entries.isEmpty else { return }
    let results = writer.withLock { $0.commit(entries.map(\.batch)) }
    queue.release(bytes: entries.reduce(0) { $0 + $1.batch.byteCount })
    for (entry, result) in zip(entries, results) { entry.completion(result) }
  }
}
