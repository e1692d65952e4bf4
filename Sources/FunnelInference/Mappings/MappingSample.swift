package import FunnelDecoding
import FunnelImport
package import FunnelIngest
package import FunnelModel

/// The event names in the records of an input, with the facts from which a mapping is inferred.
package struct MappingSample: Sendable {
  /// An imported event name and its native form. A track and a screen with the same name are different names.
  package struct Name: Hashable, Sendable {
    /// The name as the records have it.
    package var imported: String
    /// The native form.
    package var native: String
    /// The path of the screen's name, or `nil` if the event is not about a screen.
    package var screenPath: ImportedPath?
  }

  /// The format of the records.
  package private(set) var format = ImportFormat.native
  /// The number of records of each name.
  package private(set) var names: [Name: Int] = [:]
  /// The columns of a CSV file without a mapping, or `nil` for any other input.
  package private(set) var columns: InferredColumns?
  /// The app, or `nil` if the records do not name it.
  package private(set) var app: String?
  /// The number of records.
  package private(set) var records = 0

  /// A name without the inferred screen.
  private struct Spelling: Hashable {
    var imported: String
    var native: String
  }

  private var nameBySpelling: [Spelling: Name] = [:]

  private let privacy: PrivacyRules

  private init(privacy: PrivacyRules) {
    self.privacy = privacy
  }

  /// Reads all records of files.
  ///
  /// - Parameters:
  ///   - privacy: The rules that define personal data.
  ///   - progress: Called after each block.
  /// - Throws: `noInput` or `inputOutput` if a file can't be read; `unusableInput` if the records are native events or have
  ///   an unknown format, if there are none, or if they have several formats.
  package static func ofFiles(
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

  /// Returns the error for native events and for an unknown format.
  private static func unknown(_ file: String, isGiven: Bool) -> FunnelError {
    FunnelError(
      .unusableInput,
      isGiven
        ? "funnel's own events need no mapping, \(file.printable), name the format of the records with --from"
        : "no known format, or funnel's own events, \(file.printable), name the format of the records with --from")
  }

  /// Returns the format of a block.
  private static func format(of block: LineBlock) -> ImportFormat {
    // Only CSV has a header. Without a mapping, such a block has no format yet.
    block.origins?.header == nil ? block.format : .csv
  }

  /// Returns an inspector for the records, and infers the columns if the first block is CSV without a mapping.
  private mutating func begin(_ block: LineBlock, _ imports: ImportPlans) throws(FunnelError) -> RecordInspector {
    guard format == .csv, !imports.mapsColumns else {
      return RecordInspector(imports.plan(for: format))
    }
    let names = block.origins?.columns ?? []
    guard let columns = InferredColumns(names, records: Self.records(of: block), privacy: privacy) else {
      throw FunnelError(
        .unusableInput,
        "too few columns for a subject, a time and a name, \(block.place.file.printable), the header has \(names.isEmpty ? "none" : names.joined(separator: ", ").printable)"
      )
    }
    self.columns = columns
    return RecordInspector(ImportPlan(.csv, mapping: columns.mapping))
  }

  /// The number of records from which the roles of columns are inferred.
  private static let inspectedRecordsMax = 200

  /// Returns the values of the first records of a CSV block, by column.
  private static func records(of block: LineBlock) -> [[String: String]] {
    block.withBytes { bytes in
      bytes.split(separator: Byte.lineFeed).prefix(inspectedRecordsMax).compactMap { record(of: $0) }
    }
  }

  /// Returns the values of a CSV record by column, or `nil` if the line is not a record.
  private static func record(of line: Slice<UnsafeRawBufferPointer>) -> [String: String]? {
    guard case .object(let members) = try? JSONDocument(parsing: Array(line)).root.value else { return nil }
    return Dictionary(members.compactMap { member in member.node.string.map { (member.key, $0) } }) { first, _ in first }
  }

  /// Adds the records of a block.
  private mutating func add(_ block: LineBlock, _ inspector: RecordInspector) {
    block.withBytes { bytes in
      var start = 0
      while start < bytes.count {
        let end = bytes[start...].firstIndex(of: Byte.lineFeed) ?? bytes.count
        if end > start, end - start <= Limits.lineBytesMax {
          add(inspector.inspect(Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))))
          if columns?.props.isEmpty == false, let record = Self.record(of: bytes[start..<end]) {
            columns?.leaveOutPersonal(of: record, privacy: privacy)
          }
        }
        start = end + 1
      }
    }
  }

  /// Adds a record, given its properties or `nil` if it can't be read.
  private mutating func add(_ found: RecordInspector.Inspection?) {
    records += 1
    guard let found, !found.native.isEmpty else { return }
    if app == nil { app = found.app }
    // The first record determines whether the event is about a screen. A later one may lack the property.
    let spelling = Spelling(imported: found.imported, native: found.native)
    if nameBySpelling[spelling] == nil {
      guard names.count < ImportCounts.entriesMax else { return }
      nameBySpelling[spelling] = Name(imported: found.imported, native: found.native, screenPath: found.screenPath)
    }
    if let name = nameBySpelling[spelling] { names[name, default: 0] += 1 }
  }
}
