internal import Dispatch
package import FunnelModel
internal import FunnelSystem

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
    let text: InputTexts.Text
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
  private let isWholeInput: Bool
  private var finishedFileByteCount = 0
  private var currentFile: (input: InputFile, texts: InputTexts)?

  /// The number of bytes on the disk that were read so far, of files whose size is known.
  package var fileByteCount: Int { finishedFileByteCount + (currentFile?.texts.fileByteCount ?? 0) }

  /// Creates a reader of files, which are read in their order.
  ///
  /// - Parameters:
  ///   - countsLines: Whether the places of the blocks have line numbers. Without them, lines are read faster.
  ///   - imports: How the records are read.
  ///   - isWholeInput: Whether there are no other files, so that a zip with nothing to read is an error; known if it is nil.
  ///   - pool: The pool to which blocks are returned that are no longer used, made for the same `blockBytesTarget`.
  package init(
    files: [InputFile], blockBytesTarget: Int = Limits.memberRawBytesTarget, countsLines: Bool = true,
    imports: ImportPlans = .automatic, isWholeInput: Bool? = nil, pool: BlockPool? = nil
  ) {
    self.files = files[...]
    self.isWholeInput = isWholeInput ?? (files.count == 1)
    self.blockBytesTarget = blockBytesTarget
    self.countsLines = countsLines
    csv = imports.csvDetection
    formats = FormatAssignment(imports)
    self.pool = pool ?? BlockPool(blockBytesTarget: blockBytesTarget)
  }

  /// Returns the next block, or nil at the end of the last file.
  ///
  /// - Throws: `noInput` if a file is missing or can't be read, or is a zip with nothing to read and the whole input; `inputOutput` if the
  ///   disk fails.
  package mutating func next() throws(FunnelError) -> LineBlock? {
    while ready.isEmpty {
      if current != nil {
        try readOn()
      } else if let currentFile {
        if let text = try currentFile.texts.next() { try begin(text) } else { try finishFile() }
      } else {
        guard let file = files.popFirst() else { return nil }
        currentFile = (file, InputTexts(file, try Self.open(file), csv: csv))
      }
    }
    return ready.removeFirst()
  }

  private mutating func begin(_ text: InputTexts.Text) throws(FunnelError) {
    let context = SplitterContext(place: text.place, blockBytesTarget: blockBytesTarget, pool: pool)
    let splitter = try Self.splitter(context, name: text.name, csv: csv, countsLines: countsLines) {
      (count) throws(FunnelError) in try text.stream.peek(count)
    }
    current = Current(text: text, splitter: splitter)
  }

  private mutating func finishFile() throws(FunnelError) {
    guard let (input, texts) = currentFile else { return }
    finishedFileByteCount += input.byteCount ?? 0
    currentFile = nil
    // A zip that was put into a folder of many, as into an inbox, is like an empty file.
    guard isWholeInput, input.place == nil, texts.isEmptyZip else { return }
    let name = input.isStandardInput ? "standard input" : input.path.printable
    throw FunnelError(
      .noInput, "nothing to read, \(name), the zip has no *.ndjson, *.json*, *.csv, *.gz or *.zip")
  }

  /// Returns the splitter for a text.
  ///
  /// - Parameter beginning: Returns the first bytes of the text, as many as its argument says if the text has as many.
  static func splitter<Beginning: Collection<UInt8>, Failure: Error>(
    _ context: SplitterContext, name: String, csv: CSVDetection, countsLines: Bool,
    beginning: (_ count: Int) throws(Failure) -> Beginning
  ) throws(Failure) -> any RecordSplitter {
    if csv.isCSV(name: name, beginning: try beginning(InputShape.bytesMax[0])) { return CSVSplitter(context) }
    return switch try InputShape(of: beginning) {
    case .lines: LineSplitter(context, countsLines: countsLines)
    case .values: ValueSplitter(context)
    }
  }

  private mutating func readOn() throws(FunnelError) {
    guard let text = current?.text else { return }
    if let blocks = try current?.splitter.readOn({ (space) throws(FunnelError) in try text.stream.read(into: space) }) {
      return take(blocks)
    }
    take(current!.splitter.finish(damage: text.damage))
    current?.splitter.close()
    current = nil
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
      box.descriptor.store(Int(systemOpen(path)))
      box.isOpened.signal()
    }
    guard box.isOpened.wait(timeout: .now() + .seconds(Limits.fifoWaitSecondsMax)) == .success else {
      throw FunnelError(
        .noInput,
        "no program writes to the FIFO, \(path.printable), start the program that fills it within \(Limits.fifoWaitSecondsMax) s"
      )
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
