package import FunnelDecoding
package import FunnelImport
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
    /// Whether the records only link two IDs of a person.
    var isLink = false

    /// Whether the native form ends in a hash, because it could not keep the name's letters.
    var isHashed: Bool { NameFolding.hasHash(native, of: imported) }
  }

  /// The format of the records.
  package private(set) var format = ImportFormat.native
  /// The number of records of each name.
  package private(set) var names: [Name: Int] = [:]
  /// The columns of a table, or the keys of JSON records of no known format, without a mapping. `nil` for any other input.
  package private(set) var columns: InferredColumns?
  /// The users of the records.
  private(set) var accounts = AccountStatistics()
  /// The records without a name, a time or a subject, if the columns are not inferred.
  private(set) var failures = RoleFailures()
  /// The app, or `nil` if the records do not name it.
  package private(set) var app: String?
  /// The number of records.
  package private(set) var records = 0
  /// The number of records without a name.
  package private(set) var nameless = 0
  /// The number of records whose names are not in ``names``, because there are too many.
  package private(set) var uncounted = 0
  /// The mapping that was given for the format, or `nil` for none.
  package private(set) var given: ImportMapping?
  /// The encodings of the files, and the files that were passed over.
  package private(set) var imports = ImportCounts()
  /// The first damage of a file, as a sentence, or `nil` if all files are whole.
  package private(set) var damage: String?

  /// The maximum number of distinct names.
  private static let namesMax = 1 << 16

  /// A name without the inferred screen.
  private struct Spelling: Hashable {
    var imported: String
    var native: String
  }

  private var nameBySpelling: [Spelling: Name] = [:]

  private let privacy: PrivacyRules

  /// The columns whose roles are given.
  private let givenColumns: GivenColumns

  private init(privacy: PrivacyRules, _ columns: GivenColumns) {
    self.privacy = privacy
    givenColumns = columns
  }

  /// Reads all records of files.
  ///
  /// - Parameters:
  ///   - columns: The columns whose roles are given.
  ///   - privacy: The rules that define personal data.
  ///   - progress: Called after each block.
  /// - Throws: `noInput` or `inputOutput` if a file can't be read; `unusableInput` if the records are native events or have
  ///   an unknown format, if there are none, or if they have several formats.
  package static func ofFiles(
    _ files: [InputFile], imports: ImportPlans, columns: GivenColumns = GivenColumns(), privacy: PrivacyRules,
    progress: (InputProgress) -> Void
  ) throws(FunnelError) -> MappingSample {
    var sample = MappingSample(privacy: privacy, columns)
    var inspector: RecordInspector?
    let pool = BlockPool(blockBytesTarget: Limits.memberRawBytesTarget)
    var reader = InputReader(files: files, imports: imports, pool: pool)
    var bytes = 0
    while let block = try reader.next() {
      defer { pool.give(block) }
      sample.note(block)
      guard case .lines = block.content, block.byteCount > 0 else { continue }
      let format = Self.format(of: block)
      if inspector == nil {
        guard format != .native else { throw native(block.place.file) }
        sample.format = format
        inspector = try sample.begin(block, imports)
      }
      guard format == sample.format, let inspector else {
        throw FunnelError(
          .unusableInput,
          "records of two formats, \(sample.format.rawValue) and \(format.rawValue) in \(block.place.file.printable), give one at a time"
        )
      }
      sample.add(block, inspector)
      if sample.columns == nil { sample.failures = inspector.failures }
      bytes += block.byteCount
      progress(InputProgress(events: sample.records, bytes: bytes, fileBytes: reader.fileByteCount))
    }
    guard inspector != nil else {
      let passedOver = sample.imports.passedOver.examples.first.map { "\($0.printable) does not look like a log" }
      throw FunnelError(
        .unusableInput,
        "no record in the input, \(sample.damage ?? passedOver ?? "the files are empty"), name a file that has some")
    }
    return sample
  }

  /// Notes the encoding and the damage of a block's file, and the files that were passed over before it.
  private mutating func note(_ block: LineBlock) {
    if block.isFirst {
      imports.add(ImportCounts(file: block.place.file, format: block.format, encoding: block.encoding))
    }
    if !block.passedOver.isEmpty { imports.add(ImportCounts(passedOver: block.passedOver)) }
    if case .damagedTail(let rejection) = block.content {
      damage = damage ?? "\(block.place.file.printable) is damaged: \(rejection.message)"
    }
  }

  /// Returns the error for native events.
  private static func native(_ file: String) -> FunnelError {
    FunnelError(
      .unusableInput,
      "funnel's own events need no mapping, \(file.printable), use them as they are, or name another format with --from")
  }

  /// Returns the format of a block.
  private static func format(of block: LineBlock) -> ImportFormat {
    // Only CSV has a header. Without a mapping, such a block has no format yet.
    if block.origins?.header != nil { return .csv }
    guard block.format == .native else { return block.format }
    // Records of no known format are read as native events, but they are somebody's own.
    return isNative(block) ? .native : .json
  }

  /// Returns whether the first record of a block has the keys of a native event.
  private static func isNative(_ block: LineBlock) -> Bool {
    block.withBytes { bytes in
      guard let line = bytes.split(separator: Byte.lineFeed).first else { return true }
      return FormatDetection().format(of: Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(rebasing: line))) == .native
    }
  }

  /// Returns an inspector for the records, and infers the columns if the records have no format and no mapping of their own.
  private mutating func begin(_ block: LineBlock, _ imports: ImportPlans) throws(FunnelError) -> RecordInspector {
    given = imports.mappings.first { $0.format == format } ?? imports.mappings.first { $0.format == nil }
    guard format == .csv || format == .json, given?.isComplete != true else {
      return RecordInspector(imports.plan(for: format))
    }
    if let candidates = EncodingCandidates(of: block) {
      throw FunnelError(.unusableInput, "the text is not UTF-8, \(block.place.file.printable), \(candidates.solution)")
    }
    if format == .json, MatomoVisits.has(block) {
      throw FunnelError(
        .unusableInput, "\(MatomoVisits.text), \(block.place.file.printable), \(MatomoVisits.solution(block.place.file))")
    }
    let records = Self.records(of: block)
    let names = format == .csv ? block.origins?.columns ?? [] : Set(records.flatMap(\.keys)).sorted()
    if names.isEmpty, let foreign = block.withBytes({ ForeignFormat(of: $0) }) {
      throw FunnelError(.unusableInput, "\(foreign.text), \(block.place.file.printable), \(foreign.solution)")
    }
    do throws(InferredColumns.Problem) {
      let columns = try InferredColumns(names, records: records, given: try resolvedColumns(in: names), privacy: privacy)
      self.columns = columns
      return RecordInspector(ImportPlan(format, mapping: columns.mapping(format)))
    } catch {
      let kind = format == .csv ? "columns" : "keys"
      let (clause, solution) = error.text
      var advice = error.includes(.noName) ? Self.oneEventAdvice(block.place.file) : ""
      // An object around the records has few scalars, and no times.
      let mayBeNested = format == .json && (names.count < 2 || error.includes(.noTime))
      if mayBeNested, let nested = Self.nestedRecords(of: block) {
        if names.count < 2 {
          throw FunnelError(.unusableInput, "the object is no event, \(block.place.file.printable), \(nested.advice)")
        }
        advice += "; \(nested.advice)"
      } else if format == .json, error.includes(.noSubject) {
        advice += Self.envelopeAdvice
      }
      throw FunnelError(
        .unusableInput,
        "\(clause), \(block.place.file.printable), \(solution)\(advice), the \(kind) are: \(Self.list(names))"
      )
    }
  }

  /// How a mapping reads the person if an object around an array of records has it.
  private static let envelopeAdvice =
    "; if the person is beside the array of the records, name it in a mapping as \"subject\": \"\(ImportMapping.envelopeKey).KEY\""

  /// Returns how a table gets a column of names if all of its records are one event, or an empty text if the file is no plain table.
  private static func oneEventAdvice(_ file: String) -> String {
    guard file.hasSuffix(".csv") || file.hasSuffix(".tsv"), !file.contains("'") else { return "" }
    return
      "; if all records of a file are one event, write the file's name into a column, with DuckDB: COPY (SELECT parse_filename(filename, true) AS event, * EXCLUDE (filename) FROM read_csv('\(file.printable)', filename=true, union_by_name=true)) TO 'events.csv'"
  }

  /// Returns the columns that options or the given mapping name. Options come first.
  ///
  /// - Throws: The first path of a role in the mapping if none of them is a column.
  private func resolvedColumns(in names: [String]) throws(InferredColumns.Problem) -> GivenColumns {
    var columns = givenColumns
    guard let given else { return columns }
    func column(_ key: String, _ paths: [ImportedPath]) throws(InferredColumns.Problem) -> String? {
      guard let first = paths.first else { return nil }
      if let known = paths.first(where: { names.contains($0.text) }) { return known.text }
      throw .noColumn(first.text, option: "\"\(key)\" in \(given.source.printable)")
    }
    if columns.subject == nil { columns.subject = try column("subject", given.subject) }
    if columns.name == nil { columns.name = try column("name", given.name) }
    if columns.timestamp == nil {
      columns.timestamp = try column("ts", given.timestamp)
      columns.timeForm = given.timeForm
    }
    return columns
  }

  /// The number of names that a message shows.
  private static let shownNamesMax = 30

  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(shownNamesMax).joined(separator: ", ").printable
    if names.isEmpty { return "none" }
    return names.count > shownNamesMax ? "\(shown) and \(names.count - shownNamesMax) more" : shown
  }

  /// The number of records from which the roles of columns are inferred.
  private static let inspectedRecordsMax = 20_000

  /// Returns the values of the first records of a CSV block, by column.
  private static func records(of block: LineBlock) -> [[String: String]] {
    block.withBytes { bytes in
      bytes.split(separator: Byte.lineFeed).prefix(inspectedRecordsMax).compactMap { record(of: $0) }
    }
  }

  /// Returns the array that may hold the records of a block whose first value has them within, or `nil` if there is none.
  private static func nestedRecords(of block: LineBlock) -> NestedRecords? {
    block.withBytes { bytes in
      // An object whose array begins a line is read as lines, none of which is an object.
      bytes.split(separator: Byte.lineFeed).first.flatMap { NestedRecords(in: Array($0)) } ?? NestedRecords(in: Array(bytes))
    }
  }

  /// Returns the scalars of a record by column or by path, or `nil` if the line is not a record.
  private static func record(of line: some Collection<UInt8>) -> [String: String]? {
    guard let root = try? JSONDocument(parsing: Array(line)).root, case .object = root.value else { return nil }
    var values: [String: String] = [:]
    add(root, at: "", to: &values)
    return values
  }

  /// Adds the scalars of an object with their paths.
  private static func add(_ node: JSONDocument.Node, at path: String, to values: inout [String: String]) {
    guard case .object(let members) = node.value else {
      if let text = node.scalarText, !text.isEmpty, values[path] == nil { values[path] = text }
      return
    }
    for member in members { add(member.node, at: path.isEmpty ? member.key : "\(path).\(member.key)", to: &values) }
  }

  /// Adds the records of a block.
  private mutating func add(_ block: LineBlock, _ inspector: RecordInspector) {
    block.withBytes { bytes in
      var start = 0
      while start < bytes.count {
        let end = bytes[start...].firstIndex(of: Byte.lineFeed) ?? bytes.count
        if end > start, end - start <= Limits.lineBytesMax {
          let record = columns == nil ? nil : Self.record(of: bytes[start..<end])
          let isEvent = record.flatMap { columns?.examine($0, privacy: privacy) } ?? true
          if isEvent {
            add(inspector.inspect(Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))))
          } else {
            records += 1
          }
        }
        start = end + 1
      }
    }
  }

  /// Adds a record, given its properties or `nil` if it can't be read.
  private mutating func add(_ found: RecordInspector.Inspection?) {
    records += 1
    guard let found else {
      nameless += 1
      return
    }
    if app == nil { app = found.app }
    if let account = found.account {
      accounts.addRecord(subject: account.subject.span, user: account.user.span)
    } else {
      accounts.addRecord()
    }
    // The first record determines whether the event is about a screen. A later one may lack the property.
    let spelling = Spelling(imported: found.imported, native: found.native)
    if nameBySpelling[spelling] == nil {
      guard names.count < Self.namesMax else {
        uncounted += 1
        return
      }
      nameBySpelling[spelling] = Name(
        imported: found.imported, native: found.native, screenPath: found.screenPath, isLink: found.isLink)
    }
    if let name = nameBySpelling[spelling] { names[name, default: 0] += 1 }
  }
}

extension JSONDocument.Node {
  /// The text of a string, a number or a boolean, or `nil` for any other value.
  fileprivate var scalarText: String? {
    switch value {
    case .string(let text), .number(let text): text
    case .bool(let bool): bool ? "true" : "false"
    case .null, .object, .array: nil
    }
  }
}
