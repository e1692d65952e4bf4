package import FunnelDecoding
internal import Dispatch
package import FunnelModel
internal import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads input files one after another and splits them into blocks of records.
///
/// The first bytes of a file determine its type: plain text, gzip or zip, and one JSON object a line or JSON
/// values that span lines. Only CSV is detected by the file name.
package struct InputReader {
  /// A text that is being split: a file, or an entry of a zip.
  private struct Current {
    let text: InputTexts.Text
    var splitter: any RecordSplitter
    /// Whether no block of the text has been returned.
    var isFirst = true
  }

  /// The files that are not opened yet.
  private var files: ArraySlice<InputFile>
  /// The current text, or `nil` between two texts.
  private var current: Current?
  /// The blocks to return next.
  private var ready: [LineBlock] = []

  private let blockBytesTarget: Int
  private let countsLines: Bool
  private let csv: CSVDetection
  private var formats: FormatAssignment
  private let pool: BlockPool
  private let isWholeInput: Bool
  private var finishedFileByteCount = 0
  /// The current file, or `nil` between two files.
  private var currentFile: (input: InputFile, texts: InputTexts)?

  /// The number of bytes read so far, as they are on the disk. Files of unknown size are not included.
  package var fileByteCount: Int { finishedFileByteCount + (currentFile?.texts.fileByteCount ?? 0) }

  /// Creates a reader of files.
  ///
  /// - Parameters:
  ///   - files: The files, in the order in which they are read.
  ///   - blockBytesTarget: The size of a block in bytes. A block may be a little larger.
  ///   - countsLines: Whether the positions of the blocks have line numbers. Without them, reading is faster.
  ///   - imports: The formats and mappings of imported records.
  ///   - isWholeInput: Whether the files are the whole input, so that a zip without inputs is an error. `nil`
  ///     means that a single file is
  ///     the whole input.
  ///   - pool: The pool to which the caller returns used blocks, created with the same `blockBytesTarget`.
  ///     `nil` for a private one.
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

  /// Returns the next block, or `nil` at the end of the last file.
  ///
  /// - Throws: `noInput` if a file is missing or can't be read, or if the whole input is a zip without inputs.
  ///   `inputOutput` if reading fails.
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

  /// Starts to split a text.
  private mutating func begin(_ text: InputTexts.Text) throws(FunnelError) {
    let context = SplitterContext(place: text.place, blockBytesTarget: blockBytesTarget, pool: pool)
    let splitter = try Self.splitter(context, name: text.name, csv: csv, countsLines: countsLines) {
      (count) throws(FunnelError) in try text.stream.peek(count)
    }
    current = Current(text: text, splitter: splitter)
  }

  /// Finishes the current file.
  ///
  /// - Throws: `noInput` if it is the whole input and a zip without inputs.
  private mutating func finishFile() throws(FunnelError) {
    guard let (input, texts) = currentFile else { return }
    finishedFileByteCount += input.byteCount ?? 0
    currentFile = nil
    // One of many files, as in an inbox, may be a zip without inputs, like an empty file.
    guard isWholeInput, input.place == nil, texts.isEmptyZip else { return }
    let name = input.isStandardInput ? "standard input" : input.path.printable
    throw FunnelError(
      .noInput, "nothing to read, \(name), the zip has no *.ndjson, *.json*, *.csv, *.gz or *.zip")
  }

  /// Returns the splitter for a text, whose format it detects.
  ///
  /// - Parameter beginning: Returns the first `count` bytes of the text, or all bytes if there are fewer.
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

  /// Reads more of the current text and adds the blocks that are complete.
  private mutating func readOn() throws(FunnelError) {
    guard let text = current?.text else { return }
    if let blocks = try current?.splitter.readOn({ (output) throws(FunnelError) in try text.stream.read(into: &output) }) {
      return take(blocks)
    }
    take(current!.splitter.finish(damage: text.damage))
    current?.splitter.close()
    current = nil
  }

  /// Adds blocks of the current text.
  private mutating func take(_ blocks: [LineBlock]) {
    for var block in blocks {
      block.isFirst = current?.isFirst ?? false
      current?.isFirst = false
      formats.assign(to: &block)
      ready.append(block)
    }
  }

  /// Opens an input for reading.
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

  /// Opens a FIFO, and waits a bounded time until another process opens it for writing.
  private static func openWaitingForWriter(_ input: InputFile) throws(FunnelError) -> Int32 {
    // `open` blocks without a timeout, so another thread calls it.
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

  /// The result of opening a file on another thread.
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
