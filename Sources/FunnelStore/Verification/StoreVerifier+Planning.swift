import FunnelModel
import FunnelSystem

extension StoreVerifier {
  /// The extents of a log file to be checked, and the findings so far.
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

  /// A piece of the work on an extent.
  enum Work: Sendable {
    /// Computes the hash of the extent.
    case digest
    /// Checks some of its members.
    case members(ArraySlice<MemberReference>)
  }

  /// The result of a piece of work.
  struct Result: Sendable {
    var findings: [Finding] = []
    /// The hash of the extent, or `nil` if the work was to check members.
    var sha256: String?
    /// The number of lines in the checked members.
    var records = 0
    /// The inflated length of the checked members, in bytes.
    var rawBytes = 0
  }

  /// Finds the members of a log file.
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
    var start = 0
    var rawBytes = 0
    for (index, member) in members.enumerated() {
      rawBytes += member.header.rawBytes
      guard rawBytes >= taskRawBytesTarget || index == members.count - 1 else { continue }
      runs.append(members[start...index])
      start = index + 1
      rawBytes = 0
    }
    return runs
  }
}
