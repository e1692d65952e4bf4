internal import Dispatch
package import FunnelModel
internal import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads inputs one after another as blocks of lines; the first bytes of each decide whether it is plain or gzip.
package struct InputReader {
  private var files: ArraySlice<InputFile>
  private var current: (reader: DecodedReader, splitter: LineSplitter)?
  private var ready: [LineBlock] = []

  private let blockBytesTarget: Int
  private let countsLines: Bool
  private let pool: BlockPool
  private var finishedFileByteCount = 0
  private var currentFile: (file: File, byteCount: Int?)?

  /// The number of bytes on the disk that were read so far, of files whose size is known.
  package var fileByteCount: Int {
    guard let currentFile, currentFile.byteCount != nil else { return finishedFileByteCount }
    return finishedFileByteCount + Int(lseek(currentFile.file.descriptor, 0, SEEK_CUR))
  }

  /// Creates a reader of files, which are read in their order.
  ///
  /// - Parameters:
  ///   - countsLines: Whether the places of the blocks have line numbers.
  ///   - pool: The pool to which blocks are returned that are no longer used, made for the same `blockBytesTarget`.
  package init(
    files: [InputFile], blockBytesTarget: Int = Limits.memberRawBytesTarget, countsLines: Bool = true, pool: BlockPool? = nil
  ) {
    self.files = files[...]
    self.blockBytesTarget = blockBytesTarget
    self.countsLines = countsLines
    self.pool = pool ?? BlockPool(blockBytesTarget: blockBytesTarget)
  }

  /// Returns the next block, or nil at the end of the last file.
  ///
  /// - Throws: `noInput` if a file is missing or can't be read, `inputOutput` if the disk fails.
  package mutating func next() throws(FunnelError) -> LineBlock? {
    while ready.isEmpty {
      if current == nil {
        guard let file = files.popFirst() else { return nil }
        let opened = try Self.open(file)
        currentFile = (opened, file.byteCount)
        current = (
          DecodedReader(opened),
          LineSplitter(
            file: file.path, fileNumber: file.number, blockBytesTarget: blockBytesTarget, countsLines: countsLines, pool: pool)
        )
      }
      try readOn()
    }
    return ready.removeFirst()
  }

  private mutating func readOn() throws(FunnelError) {
    guard let reader = current?.reader else { return }
    guard let blocks = try current?.splitter.readOn({ (space) throws(FunnelError) in try reader.read(into: space) }) else {
      return finish(damage: reader.damage)
    }
    ready += blocks
  }

  private mutating func finish(damage: Inflater.Damage?) {
    if let damage {
      ready += current!.splitter.finish(
        damage: "\(damage.reason), in the gzip member that begins at byte \(damage.memberOffset)")
    } else {
      ready += current!.splitter.finish()
    }
    current?.splitter.close()
    current = nil
    finishedFileByteCount += currentFile?.byteCount ?? 0
    currentFile = nil
  }

  private static func open(_ input: InputFile) throws(FunnelError) -> File {
    if input.isStandardInput { return .standardInput }
    if let place = input.place { return try LocalFileSystem().open(place, for: .read) }
    var status = stat()
    guard stat(input.path, &status) == 0 else { throw unreadable(input, errno) }
    let descriptor: Int32
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFCHR: descriptor = systemOpen(input.path)
    case S_IFIFO: descriptor = try openWaitingForWriter(input)
    default: throw FunnelError(.noInput, "neither a file nor a directory, \(input.path.printable), name a file of events")
    }
    guard descriptor >= 0 else { throw unreadable(input, errno) }
    return File(descriptor: descriptor, path: StoragePath(input.path))
  }

  /// Opens a FIFO, which waits until another process opens it for writing. The wait is bounded, because that may never happen.
  private static func openWaitingForWriter(_ input: InputFile) throws(FunnelError) -> Int32 {
    let box = OwnedDescriptor()
    let path = input.path
    DispatchQueue.global().async {
      box.descriptor.store(Int(systemOpen(path)))
      box.isOpened.signal()
    }
    guard box.isOpened.wait(timeout: .now() + .seconds(Limits.fifoWaitSecondsMax)) == .success else {
      throw FunnelError(
        .noInput,
        "nobody writes to the FIFO, \(path.printable), start the program that fills it within \(Limits.fifoWaitSecondsMax) s")
    }
    return Int32(box.descriptor.value)
  }

  private final class OwnedDescriptor: Sendable {
    let descriptor = AtomicInteger(-1)
    let isOpened = DispatchSemaphore(value: 0)
  }

  private static func systemOpen(_ path: String) -> Int32 {
    retried {
      #if canImport(Glibc)
        Glibc.open(path, O_RDONLY | O_CLOEXEC)
      #else
        Darwin.open(path, O_RDONLY | O_CLOEXEC)
      #endif
    }
  }

  private static func unreadable(_ input: InputFile, _ number: Int32) -> FunnelError {
    FunnelError(.noInput, "can't read, \(input.path.printable), \(String(cString: strerror(number)))")
  }
}
