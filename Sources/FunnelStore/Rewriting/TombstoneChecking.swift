import FunnelModel
import FunnelSystem

extension RecordChecker {
  /// Returns the findings about a member of any area. Tombstones are checked here, because this module writes them.
  func findings(about lines: [UInt8], in part: PartName) -> RecordFindings {
    part.area == .forgotten ? Tombstone.findings(about: lines, of: part.day) : check(lines, in: part)
  }
}

extension Tombstone {
  fileprivate static func findings(about lines: [UInt8], of day: CivilDate) -> RecordFindings {
    var findings = RecordFindings()
    for (index, line) in lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
    where line.startIndex < lines.endIndex {
      let number = index + 1
      guard let tombstone = parse(line), tombstone.line.elementsEqual(line) else {
        findings.complaints.append(.init(record: number, reason: "it is no tombstone"))
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
