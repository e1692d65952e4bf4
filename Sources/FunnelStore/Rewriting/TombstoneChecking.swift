import FunnelModel
import FunnelSystem

extension RecordChecker {
  /// Returns the findings about a member of any area. Tombstones are checked here, because this module writes them.
  func findings(about lines: [UInt8], in part: LogFileName) -> RecordFindings {
    part.area == .forgotten ? Tombstone.findings(about: lines, of: part.day) : check(lines, in: part)
  }
}

extension Tombstone {
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
