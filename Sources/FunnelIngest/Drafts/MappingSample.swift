import FunnelImport
public import FunnelModel

/// What the records of an input have: their names, and what the names may mean.
public struct MappingSample: Sendable {
  /// A foreign name, with its native form: a track and a screen of one name are two.
  public struct Name: Hashable, Sendable {
    public var foreign: String
    public var native: String
    /// The path of the screen's name, if the event is about a screen.
    public var screenPath: ImportedPath?
  }

  public private(set) var format = ImportFormat.native
  /// The number of records of each name.
  public private(set) var names: [Name: Int] = [:]
  public private(set) var columns: MappingColumns?
  /// The app, if the records name it.
  public private(set) var app: String?
  public private(set) var records = 0

  private struct Spelling: Hashable {
    var foreign: String
    var native: String
  }

  private var nameBySpelling: [Spelling: Name] = [:]

  private let privacy: PrivacyRules

  private init(privacy: PrivacyRules) {
    self.privacy = privacy
  }

  /// Reads all records of files.
  ///
  /// - Parameter privacy: The personal data that no event may have.
  /// - Throws: `noInput` or `inputOutput` if a file can't be read; `unusableInput` if the records are funnel's own events, or of no known
  ///   format.
  public static func ofFiles(
    _ files: [InputFile], imports: ImportPlans, privacy: PrivacyRules, progress: (InputProgress) -> Void
  ) throws(FunnelError) -> MappingSample {
    var sample = MappingSample(privacy: privacy)
    var inspector: RecordInspector?
    let pool = BlockPool(blockBytesTarget: Limits.memberRawBytesTarget)
    var reader = InputReader(files: files, imports: imports, pool: pool)
    var bytes = 0
    while let block = try reader.next() {
      defer { pool.give(block) }
      guard case .lines = block.content else { continue }
      if inspector == nil {
        sample.format = Self.format(of: block)
        guard sample.format != .native else { throw unknown(block.place.file, isGiven: imports.format != nil) }
        inspector = try sample.begin(block, imports)
      }
      guard Self.format(of: block) == sample.format, let inspector else {
        throw FunnelError(
          .unusableInput,
          "records of two formats, \(sample.format.rawValue) and \(Self.format(of: block).rawValue) in \(block.place.file.printable), give one at a time"
        )
      }
      sample.add(block, inspector)
      bytes += block.byteCount
      progress(InputProgress(events: sample.records, bytes: bytes, fileBytes: reader.fileByteCount))
    }
    guard inspector != nil else { throw FunnelError(.unusableInput, "no record in the input, name a file that has some") }
    return sample
  }

  private static func unknown(_ file: String, isGiven: Bool) -> FunnelError {
    FunnelError(
      .unusableInput,
      isGiven
        ? "funnel's own events need no mapping, \(file.printable), name the format of the records with --from"
        : "no known format, or funnel's own events, \(file.printable), name the format of the records with --from")
  }

  /// Returns the format of a block. Columns are those of CSV, also where no mapping is there yet.
  private static func format(of block: LineBlock) -> ImportFormat {
    block.origins?.header == nil ? block.format : .csv
  }

  /// Returns an inspector of the records of a block and those behind it.
  private mutating func begin(_ block: LineBlock, _ imports: ImportPlans) throws(FunnelError) -> RecordInspector {
    guard format == .csv, !imports.mapsColumns else {
      return RecordInspector(imports.plan(for: format))
    }
    let names = block.origins?.columns ?? []
    guard let columns = MappingColumns(names, records: Self.records(of: block), privacy: privacy) else {
      throw FunnelError(
        .unusableInput,
        "too few columns for a subject, a time and a name, \(block.place.file.printable), the header has \(names.isEmpty ? "none" : names.joined(separator: ", ").printable)"
      )
    }
    self.columns = columns
    return RecordInspector(ImportPlan(.csv, mapping: columns.mapping))
  }

  /// The number of records whose values tell what the columns are.
  private static let guessedRecordsMax = 200

  /// Returns the values of the first records of a block of CSV.
  private static func records(of block: LineBlock) -> [[String: String]] {
    block.withBytes { bytes in
      bytes.split(separator: Byte.lineFeed).prefix(guessedRecordsMax).compactMap { record(of: $0) }
    }
  }

  /// Returns the values of the columns of a record of CSV, or nil if it is none.
  private static func record(of line: Slice<UnsafeRawBufferPointer>) -> [String: String]? {
    guard case .object(let members) = try? JSONDocument(parsing: Array(line)).root.value else { return nil }
    return Dictionary(members.compactMap { member in member.node.string.map { (member.key, $0) } }) { first, _ in first }
  }

  private mutating func add(_ block: LineBlock, _ inspector: RecordInspector) {
    block.withBytes { bytes in
      var start = 0
      while start < bytes.count {
        let end = bytes[start...].firstLineBreak ?? bytes.count
        if end > start, end - start <= Limits.lineBytesMax {
          add(inspector.inspect(UnsafeRawBufferPointer(rebasing: bytes[start..<end])))
          if columns?.props.isEmpty == false, let record = Self.record(of: bytes[start..<end]) {
            columns?.leaveOutPersonal(of: record, privacy: privacy)
          }
        }
        start = end + 1
      }
    }
  }

  private mutating func add(_ found: RecordInspector.Findings?) {
    records += 1
    guard let found, !found.native.isEmpty else { return }
    if app == nil { app = found.app }
    // Whether an event is about a screen, its first record tells: one without the property is no other event.
    let spelling = Spelling(foreign: found.foreign, native: found.native)
    if nameBySpelling[spelling] == nil {
      guard names.count < ImportCounts.entriesMax else { return }
      nameBySpelling[spelling] = Name(foreign: found.foreign, native: found.native, screenPath: found.screenPath)
    }
    if let name = nameBySpelling[spelling] { names[name, default: 0] += 1 }
  }
}
