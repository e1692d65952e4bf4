import FunnelModel
import FunnelSystem

extension RecordChecker {
  /// Returns the findings about the lines of a member in any area.
  func findings(about lines: [UInt8], in part: LogFileName) -> RecordFindings {
    // The checker checks the records of other modules. Tombstones are written by this one.
    part.area == .forgotten ? Tombstone.findings(about: lines, of: part.day) : check(lines, in: part)
  }
}

extension Tombstone {
  /// Returns the findings about lines that should be tombstones of a day.
  fileprivate static func findings(about lines: [UInt8], of day: CivilDate) -> RecordFindings {
    var findings = RecordFindings()
    for line in RecordLines(of: lines) {
      let (number, text) = (line.number, lines[line.text])
      guard let tombstone = parse(text), tombstone.line.elementsEqual(text) else {
        findings.complaints.append(.init(record: number, reason: "it is not a tombstone"))
        continue
      }
      if tombstone.at.day != day {
        findings.complaints.append(
          .init(record: number, reason: "it was made at \(tombstone.at), which does not belong to this day"))
      }
      findings.records.append(.init(number: number, timestamp: tombstone.at))
    }
    return findings
  }
}
