package import FunnelDecoding
package import FunnelModel
import FunnelSystem

/// Distributes blocks of input files to several threads.
///
/// Each thread has a *reader slot*, in which it reads one file after another. It decodes the blocks that it has
/// decompressed itself, while they are in the processor's cache. When no file is left for its slot, a thread
/// reads from the slots of other threads. One thread then decompresses a file while another decodes its blocks,
/// so a single file uses two cores.
///
/// The positions of blocks of lines have no line numbers. ``FirstRejections`` computes line numbers from the
/// line counts of the blocks.
package final class BlockReaderSlots: BlockSource {
  /// The files that no thread has started to read.
  private struct Queue {
    var files: ArraySlice<InputFile>
    /// The size of the files that were read to their end.
    var finishedFileBytes = 0
  }

  /// The state of one reader slot.
  private struct ReaderSlot: @unchecked Sendable {
    /// The reader of the current file, or `nil` if there is none.
    var reader: InputReader?
    /// The number of bytes of the current file that were read.
    var fileBytes = 0
  }

  private let queue: Guarded<Queue>
  private let readerSlots: [ReaderSlotStorage]
  private let imports: ImportPlans
  private let blockBytesTarget: Int
  private let isOneFile: Bool

  /// A reader slot with its lock and its pool.
  private final class ReaderSlotStorage: Sendable {
    let readerSlot = Guarded(ReaderSlot())
    let pool: BlockPool

    init(blockBytesTarget: Int) {
      pool = BlockPool(blockBytesTarget: blockBytesTarget)
    }
  }

  /// Creates reader slots for `count` threads.
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

  /// The number of bytes read so far, as they are on the disk. Files of unknown size, and files that another
  /// thread is reading at this moment, are not included.
  package var fileByteCount: Int {
    readerSlots.reduce(queue.withLock { $0.finishedFileBytes }) { total, box in
      total + (box.readerSlot.withLockIfAvailable { $0.fileBytes } ?? 0)
    }
  }

  /// Returns the next block for a thread, or `nil` if all files were read to their end.
  ///
  /// - Throws: `noInput` if a file is missing or can't be read, `inputOutput` if reading fails.
  package func next(readerSlot own: Int) throws(FunnelError) -> LineBlock? {
    for offset in readerSlots.indices {
      if let block = try next(in: readerSlots[(own + offset) % readerSlots.count], opensFiles: offset == 0) { return block }
    }
    return nil
  }

  package func recycle(_ block: consuming LineBlock, readerSlot: Int) { readerSlots[readerSlot].pool.give(block) }

  /// Returns the next block of a reader slot, or `nil` if it has no more blocks.
  ///
  /// - Parameter opensFiles: Whether the next file is opened when the current one is at its end.
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
            files: [file], blockBytesTarget: blockBytesTarget, countsLines: false, imports: imports, isPartOfInput: !isOneFile,
            pool: box.pool)
        }
      } catch {
        return .failure(error)
      }
    }
    return try result.get()?.block
  }

  // A closure under a lock must return a sendable value.
  private struct UncheckedBlock: Sendable {
    let block: LineBlock
  }

  /// Closes the current file of a reader slot.
  private func finishFile(of readerSlot: inout ReaderSlot) {
    guard let reader = readerSlot.reader else { return }
    queue.withLock { $0.finishedFileBytes += reader.fileByteCount }
    readerSlot.reader = nil
    readerSlot.fileBytes = 0
  }
}
