package import FunnelDecoding
package import FunnelModel
internal import FunnelSystem

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
  /// Whether the only file is the whole input.
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
  ///   - isPartOfInput: Whether there are other files in the input. A zip without inputs is an error only if it is the
  ///     single file of the whole input.
  ///   - pool: The pool to which the caller returns used blocks, created with the same `blockBytesTarget`.
  ///     `nil` for a private one.
  package init(
    files: [InputFile], blockBytesTarget: Int = Limits.memberRawBytesTarget, countsLines: Bool = true,
    imports: ImportPlans = .automatic, isPartOfInput: Bool = false, pool: BlockPool? = nil
  ) {
    self.files = files[...]
    isWholeInput = !isPartOfInput && files.count == 1
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
        currentFile = (file, InputTexts(file, try file.open(), csv: csv))
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
}
