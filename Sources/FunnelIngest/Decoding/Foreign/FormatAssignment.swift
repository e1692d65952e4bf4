import FunnelImport
import FunnelModel

/// Gives each block the format of its file, which the file's first records tell unless it is given.
struct FormatAssignment {
  private let given: ImportFormat?
  private let detection: FormatDetection?
  private let mapsColumns: Bool
  private var current = ImportFormat.native

  init(_ plans: ImportPlans) {
    given = plans.format
    mapsColumns = plans.mapsColumns
    detection = plans.format == nil ? FormatDetection() : nil
  }

  /// Sets the format of the next block of an input.
  mutating func assign(to block: inout LineBlock) {
    if let given {
      block.format = given
      return
    }
    if block.isFirst { current = detect(block) }
    block.format = current
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
