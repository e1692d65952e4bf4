internal import Dispatch
package import FunnelModel
internal import FunnelSystem
internal import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads inputs one after another as blocks of records.
///
/// What an input is, its first bytes decide: plain or gzip, one object a line, or JSON values that span lines. Only CSV, which begins like
/// any text, is known by its name.
package struct InputReader {
  /// A text that is being split.
  private struct Current {
    let reader: DecodedReader
    let stream: PeekedStream
    var splitter: any RecordSplitter
    var isFirst = true
  }

  private var files: ArraySlice<InputFile>
  private var current: Current?
  private var ready: [LineBlock] = []

  private let blockBytesTarget: Int
  private let countsLines: Bool
  private let csv: CSVDetection
  private var formats: FormatAssignment
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
  ///   - countsLines: Whether the places of the blocks have line numbers. Without them, lines are read faster.
  ///   - imports: How the records are read.
  ///   - pool: The pool to which blocks are returned that are no longer used, made for the same `blockBytesTarget`.
  package init(
    files: [InputFile], blockBytesTarget: Int = Limits.memberRawBytesTarget, countsLines: Bool = true,
    imports: ImportPlans = .automatic, pool: BlockPool? = nil
  ) {
    self.files = files[...]
    self.blockBytesTarget = blockBytesTarget
    self.countsLines = countsLines
    csv = imports.csvDetection
    formats = FormatAssignment(imports)
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
        try begin(DecodedReader(opened), of: file)
      }
      try readOn()
    }
    return ready.removeFirst()
  }

  private mutating func begin(_ reader: DecodedReader, of file: InputFile) throws(FunnelError) {
    let stream = PeekedStream(reader)
    let place = LineBlock.Place(file: file.path, line: 1, byteOffset: 0, fileNumber: file.number)
    let context = SplitterContext(place: place, blockBytesTarget: blockBytesTarget, pool: pool)
    let beginning = try stream.peek(InputShape.bytesMax)
    let splitter = Self.splitter(context, name: file.path, beginning: beginning, csv: csv, countsLines: countsLines)
    current = Current(reader: reader, stream: stream, splitter: splitter)
  }

  /// Returns the splitter for a text that begins with these bytes.
  static func splitter(
    _ context: SplitterContext, name: String, beginning: some Collection<UInt8>, csv: CSVDetection, countsLines: Bool
  ) -> any RecordSplitter {
    if csv.isCSV(name: name, beginning: beginning) { return CSVSplitter(context) }
    return switch InputShape(beginning: beginning) {
    case .lines: LineSplitter(context, countsLines: countsLines)
    case .values: ValueSplitter(context)
    }
  }

  private mutating func readOn() throws(FunnelError) {
    guard let stream = current?.stream, let reader = current?.reader else { return }
    if let blocks = try current?.splitter.readOn({ (space) throws(FunnelError) in try stream.read(into: space) }) {
      return take(blocks)
    }
    let damage = reader.damage.map {
      Reject(.damagedGzip, "\($0.reason), in the gzip member that begins at byte \($0.memberOffset)")
    }
    take(current!.splitter.finish(damage: damage))
    current?.splitter.close()
    current = nil
    finishedFileByteCount += currentFile?.byteCount ?? 0
    currentFile = nil
  }

  private mutating func take(_ blocks: [LineBlock]) {
    for var block in blocks {
      block.isFirst = current?.isFirst ?? false
      current?.isFirst = false
      formats.assign(to: &block)
      ready.append(block)
    }
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
      box.descriptor.store(systemOpen(path), ordering: .releasing)
      box.isOpened.signal()
    }
    guard box.isOpened.wait(timeout: .now() + .seconds(Limits.fifoWaitSecondsMax)) == .success else {
      throw FunnelError(
        .noInput,
        "nobody writes to the FIFO, \(path.printable), start the program that fills it within \(Limits.fifoWaitSecondsMax) s")
    }
    return box.descriptor.load(ordering: .acquiring)
  }

  private final class OwnedDescriptor: Sendable {
    let descriptor = Atomic<Int32>(-1)
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
