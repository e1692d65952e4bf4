import FunnelModel
import FunnelSystem

extension StoreVerifier {
  /// The extents of a part to be checked, and the problems found so far.
  struct Plan: Sendable {
    var extents: [PlannedExtent] = []
    var findings: [Finding] = []
  }

  /// An extent, with the members and the gaps found in it.
  struct PlannedExtent: Sendable {
    var extent: Extent
    var members: [MemberReference]
    var gaps: [MemberScan.Gap]
  }

  enum Work: Sendable {
    case digest
    case members(ArraySlice<MemberReference>)
  }

  struct Result: Sendable {
    var findings: [Finding] = []
    var sha256: String?
    var records = 0
    var rawBytes = 0
  }

  func plan(for part: CoveredLogFile) throws(FunnelError) -> Plan {
    var plan = Plan()
    if let shortage = try files.shortage(of: part) {
      counter.add(part.bytes)
      plan.findings = [finding(part.name, nil, shortage)]
      return plan
    }
    let file = try files.fileSystem.open(files.path(of: part.name), for: .read)
    for piece in part.extents {
      let range = piece.extent.offset..<piece.extent.offset + piece.extent.bytes
      let hops = try MemberScan(hopping: range, of: part.name, commit: piece.commit, in: file, files.fileSystem)
      let scan = try hops.orSearching(range, of: part.name, commit: piece.commit, in: file, files.fileSystem)
      plan.extents.append(PlannedExtent(extent: piece.extent, members: scan.members, gaps: scan.gaps))
      counter.add(scan.gaps.reduce(0) { $0 + $1.range.count })
    }
    return plan
  }

  /// Divides members into runs that each take about as much work as one full member.
  static func runs(of members: [MemberReference]) -> [ArraySlice<MemberReference>] {
    var runs: [ArraySlice<MemberReference>] = []
    var (start, rawBytes) = (0, 0)
    for (index, member) in members.enumerated() {
      rawBytes += member.header.rawBytes
      guard rawBytes >= taskRawBytesTarget || index == members.count - 1 else { continue }
      runs.append(members[start...index])
      (start, rawBytes) = (index + 1, 0)
    }
    return runs
  }
}
