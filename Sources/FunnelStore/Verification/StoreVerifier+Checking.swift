import FunnelModel
import FunnelSystem

extension StoreVerifier {
  /// Performs a piece of the work on an extent.
  func perform(_ work: Work, of extent: PlannedExtent) throws(FunnelError) -> Result {
    let file = try files.fileSystem.open(files.path(of: extent.extent.logFile), for: .read)
    var result = Result()
    switch work {
    case .digest: result.sha256 = try files.sha256(of: extent.extent, in: file)
    case .members(let members):
      for member in members { try check(member, in: file, &result) }
    }
    return result
  }

  /// Inflates a member and adds its findings to a result.
  private func check(_ member: MemberReference, in file: File, _ result: inout Result) throws(FunnelError) {
    let bytes = try files.fileSystem.read(file, at: member.offset, count: member.header.memberBytes)
    defer { counter.add(member.header.memberBytes) }
    switch bytes.decoded {
    case .failure(let damage): result.findings.append(finding(member.logFile, member.offset, damage.reason))
    case .success(let raw):
      let lines = raw.count { $0 == UInt8(ascii: "\n") }
      result.records += lines
      result.rawBytes += raw.count
      if let problem = problem(of: member, lines: lines, last: raw.last) {
        return result.findings.append(finding(member.logFile, member.offset, problem))
      }
      guard let checker else { return }
      add(checker.findings(about: raw, in: member.logFile), of: member, to: &result)
    }
  }

  /// Adds the findings about a member's records to a result, and its events to the statistics.
  private func add(_ found: RecordFindings, of member: MemberReference, to result: inout Result) {
    for complaint in found.complaints {
      result.findings.append(finding(member.logFile, member.offset, complaint.reason, record: complaint.record))
    }
    if let timestamps = found.timestamps, found.complaints.isEmpty, timestamps != member.header.timestamps {
      result.findings.append(
        finding(
          member.logFile, member.offset,
          "a member's records are from \(timestamps.lowerBound) to \(timestamps.upperBound) but its header says otherwise"))
    }
    if member.logFile.area == .log { duplicateFinder.add(found.records) }
  }

  /// Returns the problem of a member's header or line feeds, as a clause, or `nil` if there is none.
  private func problem(of member: MemberReference, lines: Int, last: UInt8?) -> String? {
    let header = member.header
    if header.lines != lines { return "a member has \(lines) lines but its header says \(header.lines)" }
    if last != UInt8(ascii: "\n") { return "a member's last line has no line feed" }
    if !header.isOfDay(of: member.logFile) {
      let (first, last) = (header.timestamps.lowerBound, header.timestamps.upperBound)
      return "a member has events from \(first) to \(last), which do not belong to this day"
    }
    return nil
  }

  /// Returns the findings about an extent, in the order of their offsets.
  ///
  /// Findings about the extent as a whole are returned only if there is none about its members, because a damaged
  /// member also changes the hash of the extent.
  func findings(about extent: PlannedExtent, _ results: [Result]) -> [Finding] {
    let gaps = extent.gaps.map {
      finding(extent.extent.logFile, $0.range.lowerBound, "\($0.reason); the \($0.range.count) bytes from here can't be read")
    }
    let known = (gaps + results.flatMap(\.findings)).sorted {
      ($0.offset ?? 0, $0.record ?? 0) < ($1.offset ?? 0, $1.record ?? 0)
    }
    guard known.isEmpty else { return known }
    let logFile = extent.extent.logFile
    let offset = extent.extent.offset
    let bytes = extent.extent.bytes
    if results.contains(where: { $0.sha256.map { $0 != extent.extent.sha256 } ?? false }) {
      return [finding(logFile, offset, "the hash of the \(bytes) bytes from here does not match the journal")]
    }
    let records = results.reduce(0) { $0 + $1.records }
    let rawBytes = results.reduce(0) { $0 + $1.rawBytes }
    if records != extent.extent.records || rawBytes != extent.extent.rawBytes {
      return [finding(logFile, offset, "the number of lines or their length does not match the journal")]
    }
    return []
  }

  /// Creates a finding about a log file.
  func finding(_ logFile: LogFileName, _ offset: Int?, _ reason: String, record: Int? = nil) -> Finding {
    Finding(path: files.path(of: logFile).description, offset: offset, record: record, reason: reason, logFile: logFile)
  }
}

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
  func plan(for logFile: CoveredLogFile) throws(FunnelError) -> Plan {
    var plan = Plan()
    if let shortage = try files.shortage(of: logFile) {
      counter.add(logFile.bytes)
      plan.findings = [finding(logFile.name, nil, shortage)]
      return plan
    }
    let file = try files.fileSystem.open(files.path(of: logFile.name), for: .read)
    for piece in logFile.extents {
      let range = piece.extent.offset..<piece.extent.offset + piece.extent.bytes
      let scan = try MemberScan(range, of: logFile.name, commit: piece.commit, in: file, files.fileSystem)
      plan.extents.append(PlannedExtent(extent: piece.extent, members: scan.members, gaps: scan.gaps))
      counter.add(scan.gaps.reduce(0) { $0 + $1.range.count })
    }
    return plan
  }

  /// Divides members into sections that each take about as much work as one full member.
  static func sections(of members: [MemberReference]) -> [ArraySlice<MemberReference>] {
    var sections: [ArraySlice<MemberReference>] = []
    var start = 0
    var rawBytes = 0
    for (index, member) in members.enumerated() {
      rawBytes += member.header.rawBytes
      guard rawBytes >= taskRawBytesTarget || index == members.count - 1 else { continue }
      sections.append(members[start...index])
      start = index + 1
      rawBytes = 0
    }
    return sections
  }
}
