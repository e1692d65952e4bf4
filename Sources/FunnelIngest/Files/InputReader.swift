package import FunnelDecoding
internal import FunnelImport
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
    /// Whether the lines are dead letters.
    var holdsDeadLetters = false
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
  /// The encoding of all inputs, or `nil` to detect it.
  private let encoding: TextEncoding?
  private let envelopes: RecordEnvelopeOptions
  /// The names of the columns of tables, or `nil` if their first records have them.
  private let columns: [String]?
  private var formats: FormatAssignment
  private let pool: BlockPool
  /// Whether the only file is the whole input.
  private let isWholeInput: Bool
  private var finishedFileByteCount = 0
  /// The files that were passed over since the last block.
  private var passedOver = PassedOverFiles()
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
    encoding = imports.encoding
    envelopes = imports.envelopes
    columns = imports.mappingOfColumns?.header
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
        if let text = try currentFile.texts.next() { try begin(text, of: currentFile) } else { try finishFile() }
      } else {
        guard let file = files.popFirst() else { return lastBlock() }
        passedOver.add(file.passedOver)
        currentFile = (file, InputTexts(file, try file.open(), csv: csv, encoding: encoding))
      }
    }
    return ready.removeFirst()
  }

  /// Starts to split a text, or passes over it.
  private mutating func begin(
    _ text: InputTexts.Text, of file: (input: InputFile, texts: InputTexts)
  ) throws(FunnelError) {
    let isFound = file.input.isFound || text.place.file != file.input.path
    if isFound, InputFile.mayBeProse(text.name),
      !csv.isCSV(name: text.name, beginning: try text.stream.peek(InputShape.bytesMax[0])),
      try InputFile.isProse(text.stream.peek(InputFile.proseBytesMax))
    {
      return file.texts.passOver(text)
    }
    let context = SplitterContext(place: text.place, blockBytesTarget: blockBytesTarget, pool: pool)
    if file.input.mayHoldDeadLetters, !file.texts.isZip,
      try DeadLetterSplitter.canSplit({ (count) throws(FunnelError) in try text.stream.peek(count) })
    {
      current = Current(text: text, splitter: DeadLetterSplitter(context), holdsDeadLetters: true)
      return
    }
    let splitter = try Self.splitter(
      context, name: text.name, csv: csv, countsLines: countsLines, envelopes: envelopes,
      columns: columns
    ) {
      (count) throws(FunnelError) in try text.stream.peek(count)
    }
    current = Current(text: text, splitter: splitter)
  }

  /// Returns an empty block with the files that were passed over after the last block, or `nil` if there are none.
  private mutating func lastBlock() -> LineBlock? {
    guard !passedOver.isEmpty, let path = passedOver.examples.first else { return nil }
    var block = LineBlock(place: LineBlock.Place(file: path, line: 1, byteOffset: 0), content: .lines, bytes: [])
    block.passedOver = passedOver
    passedOver = PassedOverFiles()
    return block
  }

  /// Finishes the current file.
  ///
  /// - Throws: `noInput` if it is the whole input and a zip without inputs.
  private mutating func finishFile() throws(FunnelError) {
    guard let (input, texts) = currentFile else { return }
    finishedFileByteCount += input.byteCount ?? 0
    currentFile = nil
    passedOver.add(texts.passedOver)
    // One of many files, as in an inbox, may be a zip without inputs, like an empty file.
    guard isWholeInput, input.place == nil, texts.hasNoText else { return }
    let name = input.isStandardInput ? "standard input" : input.path.printable
    let reason =
      InputFile.isSpreadsheet(input.path)
      ? "it is a spreadsheet, save the sheet with the events as CSV"
      : texts.isZip ? "the zip has no \(InputFile.searchedNames) with records" : "it does not look like a log"
    throw FunnelError(.noInput, "nothing to read, \(name), \(reason)")
  }

  /// Returns the splitter for a text, whose format it detects.
  ///
  /// - Parameter beginning: Returns the first `count` bytes of the text, or all bytes if there are fewer.
  static func splitter<Beginning: Collection<UInt8>, Failure: Error>(
    _ context: SplitterContext, name: String, csv: CSVDetection, countsLines: Bool,
    envelopes: RecordEnvelopeOptions = .automatic,
    columns: [String]? = nil,
    beginning: (_ count: Int) throws(Failure) -> Beginning
  ) throws(Failure) -> any RecordSplitter {
    if csv.isCSV(name: name, beginning: try beginning(InputShape.bytesMax[0])) {
      return CSVSplitter(context, columns: columns)
    }
    return switch try InputShape(recordsPath: envelopes.path, of: beginning) {
    case .lines: LineSplitter(context, countsLines: countsLines)
    case .values: ValueSplitter(context)
    case .envelopes: ValueSplitter(context, envelopes: envelopes)
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
      block.encoding = current?.text.encoding ?? .utf8
      current?.isFirst = false
      block.passedOver = passedOver
      passedOver = PassedOverFiles()
      // Each letter has its own format.
      if current?.holdsDeadLetters != true { formats.assign(to: &block) }
      ready.append(block)
    }
  }
}
