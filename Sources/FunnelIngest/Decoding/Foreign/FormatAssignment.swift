import FunnelImport
import FunnelModel

/// Gives each block the format of its file, which the file's first records tell unless it is given.
struct FormatAssignment {
  private let given: ImportFormat?
  private let detection: FormatDetection?
  private let mapsColumns: Bool
  private let neededColumns: [[ImportedPath]]
  private var current = ImportFormat.native
  /// Why no record of the current table can be read, or nil if its header has all columns that the mapping names.
  private var headerProblem: Rejection?

  init(_ plans: ImportPlans) {
    given = plans.format
    mapsColumns = plans.mapsColumns
    neededColumns = plans.mappingOfColumns?.neededColumns ?? []
    detection = plans.format == nil ? FormatDetection() : nil
  }

  /// Sets the format of the next block of an input.
  mutating func assign(to block: inout LineBlock) {
    if block.isFirst {
      current = given ?? detect(block)
      headerProblem = current == .csv ? problem(ofHeader: block.origins?.columns ?? []) : nil
    }
    block.format = current
    if let headerProblem { block.origins?.refuseAll(headerProblem) }
  }

  /// Returns the reason why records under a header can't be read: it lacks a column that the mapping names.
  private func problem(ofHeader columns: [String]) -> Rejection? {
    let missing = neededColumns.first { group in !group.contains { columns.contains($0.text) } }
    return missing.map { group in
      Rejection(
        .missingField,
        "the header has no column \(group.map { $0.text.quoted }.joined(separator: " or ")), which the mapping names; fix one of them"
      )
    }
  }

  private func detect(_ block: LineBlock) -> ImportFormat {
    // Without a mapping, columns can only be funnel's own fields.
    if block.origins?.header != nil { return mapsColumns ? .csv : .native }
    guard let detection, case .lines = block.content else { return .native }
    return block.withBytes { bytes in
      var rest = bytes[...]
      var seen = 0
      while !rest.isEmpty, seen < FormatDetection.recordsMax {
        let end = rest.firstLineBreak ?? rest.endIndex
        let line = UnsafeRawBufferPointer(rebasing: rest[..<end])
        rest = rest[min(end + 1, rest.endIndex)...]
        guard !line.isEmpty, line.count <= Limits.lineBytesMax else { continue }
        seen += 1
        if let format = detection.format(of: line) { return format }
      }
      return .native
    }
  }
}
