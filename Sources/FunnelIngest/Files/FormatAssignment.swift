import FunnelDecoding
import FunnelImport
import FunnelModel

/// Sets the format of each block: the given format, or else the format that is detected in the first records of
/// the file.
struct FormatAssignment {
  /// The format of all inputs, or `nil` to detect it.
  private let given: ImportFormat?
  /// Detects the format, or `nil` if it is given.
  private let detection: FormatDetection?
  private let mapsColumns: Bool
  /// The format of JSON records that no format is recognized in.
  private let otherwise: ImportFormat
  /// The columns that the mapping of CSV names. At least one of each group must exist.
  private let neededColumns: [[ImportedPath]]
  /// The format of the current file.
  private var current = ImportFormat.native
  /// The rejection of all records of the current CSV file, or `nil` if its header has the columns that the
  /// mapping names.
  private var headerProblem: Rejection?

  /// Creates an assignment for inputs that are read one after another.
  init(_ plans: ImportPlans) {
    given = plans.format
    mapsColumns = plans.mapsColumns
    otherwise = plans.mapsOwnJSON ? .json : .native
    neededColumns = plans.mappingOfColumns?.neededColumns ?? []
    detection = plans.format == nil ? FormatDetection() : nil
  }

  /// Sets the format of the next block. The blocks of a file must be passed in their order.
  mutating func assign(to block: inout LineBlock) {
    if block.isFirst {
      current = given ?? detect(block)
      headerProblem = current == .csv ? problem(ofHeader: block.origins?.columns ?? []) : nil
    }
    block.format = current
    if let headerProblem { block.origins?.refuseAll(headerProblem) }
  }

  /// Returns the rejection of all records if the header lacks a column that the mapping names, or `nil` if it
  /// lacks none.
  private func problem(ofHeader columns: [String]) -> Rejection? {
    let missing = neededColumns.first { group in
      !group.contains { path in columns.contains(path.text) || path.alternativeKeys.map { columns.contains($0[0]) } ?? false }
    }
    return missing.map { group in
      Rejection(
        .missingField,
        "the header has no column \(group.map { $0.text.quoted }.joined(separator: " or ")), which the mapping names; fix one of them"
      )
    }
  }

  /// Detects the format of a file in its first block.
  private func detect(_ block: LineBlock) -> ImportFormat {
    // Without a mapping, the columns of CSV must have the names of native fields.
    if block.origins?.header != nil { return mapsColumns ? .csv : .native }
    guard let detection, case .lines = block.content else { return .native }
    return block.withBytes { bytes in
      let bytes = Span<UInt8>(_unsafeBytes: bytes)
      var start = 0
      var recordCount = 0
      while start < bytes.count, recordCount < FormatDetection.recordsMax {
        let end = bytes.firstLineFeed(in: start..<bytes.count) ?? bytes.count
        let line = bytes.extracting(start..<end)
        start = end + 1
        guard !line.isEmpty, line.count <= Limits.lineBytesMax else { continue }
        recordCount += 1
        if let format = detection.format(of: line) { return format }
      }
      return otherwise
    }
  }
}
