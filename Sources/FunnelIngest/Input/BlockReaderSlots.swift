package import FunnelModel
import FunnelSystem

/// A source from which several threads get blocks of lines, in no particular order.
package protocol BlockSource: Sendable {
  /// Returns the next block for a thread, or nil if there are no more.
  func next(readerSlot: Int) throws(FunnelError) -> LineBlock?
  /// Takes back a block that is no longer used.
  func recycle(_ block: consuming LineBlock, readerSlot: Int)
  /// The number of bytes on the disk that were read so far, as far as it is known.
  var fileByteCount: Int { get }
}

/// Distributes blocks of files to several threads.
///
/// The places of blocks of lines have no line numbers: callers that show lines to people read in order, or add up the blocks'
/// (``FirstRejections``).
///
/// Each thread has a lane, in which it reads one file after another: it decodes what it has just inflated itself, while that is in the
/// processor's cache. When there is no file left for a lane, its thread takes turns in the other lanes: then one thread inflates while
/// another decodes, so that a single file keeps two cores busy too.
package final class BlockReaderSlots: BlockSource {
  private struct Queue {
    var files: ArraySlice<InputFile>
    var finishedFileBytes = 0
  }

  private struct ReaderSlot: @unchecked Sendable {
    var reader: InputReader?
    var fileBytes = 0
  }

  private let queue: Guarded<Queue>
  private let readerSlots: [ReaderSlotStorage]
  private let imports: ImportPlans
  private let blockBytesTarget: Int
  private let isOneFile: Bool

  private final class ReaderSlotStorage: Sendable {
    let readerSlot = Guarded(ReaderSlot())
    let pool: BlockPool

    init(blockBytesTarget: Int) {
      pool = BlockPool(blockBytesTarget: blockBytesTarget)
    }
  }

  /// Creates lanes for `count` threads.
  package init(
    files: [InputFile], count: Int, imports: ImportPlans = .automatic, blockBytesTarget: Int = 1 << 18
  ) {
    self.imports = imports
    let numbered = files.enumerated().map { number, file in
      var file = file
      file.number = number
      return file
    }
    queue = Guarded(Queue(files: numbered[...]))
    readerSlots = (0..<count).map { _ in ReaderSlotStorage(blockBytesTarget: blockBytesTarget) }
    self.blockBytesTarget = blockBytesTarget
    isOneFile = files.count == 1
  }

  /// The number of bytes on the disk that were read so far, of files whose size is known.
  package var fileByteCount: Int {
    readerSlots.reduce(queue.withLock { $0.finishedFileBytes }) { total, box in
      total + (box.readerSlot.withLockIfAvailable { $0.fileBytes } ?? 0)
    }
  }

  /// Returns the next block for a thread, or nil if all files are at their end.
  ///
  /// - Throws: `noInput` if a file is missing or can't be read, `inputOutput` if the disk fails.
  package func next(readerSlot own: Int) throws(FunnelError) -> LineBlock? {
    for offset in readerSlots.indices {
      if let block = try next(in: readerSlots[(own + offset) % readerSlots.count], opensFiles: offset == 0) { return block }
    }
    return nil
  }

  package func recycle(_ block: consuming LineBlock, readerSlot: Int) { readerSlots[readerSlot].pool.give(block) }

  private func next(in box: ReaderSlotStorage, opensFiles: Bool) throws(FunnelError) -> LineBlock? {
    let result = box.readerSlot.withLock { readerSlot -> Result<UncheckedBlock?, FunnelError> in
      do throws(FunnelError) {
        while true {
          if let block = try readerSlot.reader?.next() {
            readerSlot.fileBytes = readerSlot.reader?.fileByteCount ?? 0
            return .success(UncheckedBlock(block: block))
          }
          finishFile(of: &readerSlot)
          guard opensFiles, let file = queue.withLock({ $0.files.popFirst() }) else { return .success(nil) }
          readerSlot.reader = InputReader(
            files: [file], blockBytesTarget: blockBytesTarget, countsLines: false, imports: imports, isWholeInput: isOneFile,
            pool: box.pool)
        }
      } catch {
        return .failure(error)
      }
    }
    return try result.get()?.block
  }

  private struct UncheckedBlock: Sendable {
    let block: LineBlock
  }

  private func finishFile(of readerSlot: inout ReaderSlot) {
    guard let reader = readerSlot.reader else { return }
    queue.withLock { $0.finishedFileBytes += reader.fileByteCount }
    readerSlot.reader = nil
    readerSlot.fileBytes = 0
  }
}
