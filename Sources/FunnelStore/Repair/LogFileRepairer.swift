import FunnelModel
import FunnelSystem

/// Separates the valid records of a damaged log file from the invalid data.
struct LogFileRepairer {
  /// A receiver of the contents of a log file.
  protocol Sink {
    /// Receives a valid member, which stays unchanged.
    ///
    /// - Parameter commit: The number of the commit that brought the records.
    mutating func keep(_ member: MemberReference, from commit: Int) throws(FunnelError)
    /// Receives the valid records of a damaged member, which must be written to new members.
    ///
    /// - Parameters:
    ///   - day: The day of the records, which may differ from that of the log file.
    ///   - commit: The number of the commit that brought the records.
    mutating func append(_ lines: RecordBatch, of logFile: LogFileName, day: CivilDate, from commit: Int) throws(FunnelError)
    /// Receives invalid data.
    mutating func putAside(_ piece: DamagedFolder.Piece) throws(FunnelError)
  }

  let files: StoreFiles
  let logFile: CoveredLogFile
  let checker: any RecordChecker
  /// The numbers of the records that duplicate earlier ones, by the offset of their member.
  let duplicates: [Int: Set<Int>]

  /// Passes the contents of the log file to a sink, in order.
  func run(into sink: inout some Sink) throws(FunnelError) {
    let path = files.path(of: logFile.name)
    guard let status = try files.fileSystem.status(of: path), status.kind == .file else { return }
    let file = try files.fileSystem.open(path, for: .read)
    for piece in logFile.extents where piece.extent.offset < status.size {
      let range = piece.extent.offset..<min(piece.extent.offset + piece.extent.bytes, status.size)
      let scan = try MemberScan(searching: range, of: logFile.name, commit: piece.commit, in: file, files.fileSystem)
      for gap in scan.gaps {
        try sink.putAside(
          .init(logFile: logFile.name, offset: gap.range.lowerBound, content: .bytes(gap.range), reason: gap.reason))
      }
      // It is unknown which records are lost, so all records of the extent are attributed to its first commit.
      let commit = piece.origins.map(\.commit).min() ?? piece.commit
      for member in scan.members { try repair(member, from: commit, in: file, into: &sink) }
    }
  }

  /// Passes a member to a sink, unchanged if it is valid, and otherwise divided into valid and invalid records.
  private func repair(
    _ member: MemberReference, from commit: Int, in file: File, into sink: inout some Sink
  ) throws(FunnelError) {
    let bytes = try files.fileSystem.read(file, at: member.offset, count: member.header.memberBytes)
    guard case .success(let header) = bytes.header, case .success(let raw) = bytes.decoded else {
      throw FunnelError(.inputOutput, "\(files.path(of: logFile.name)) changed while it was repaired, check the disk")
    }
    let findings = checker.findings(about: raw, in: logFile.name)
    let duplicates = duplicates[member.offset] ?? []
    let isHeaderTrue = header == member.header && (findings.timestamps ?? header.timestamps) == header.timestamps
    if isHeaderTrue, findings.complaints.isEmpty, duplicates.isEmpty, raw.last == UInt8(ascii: "\n") {
      return try sink.keep(member, from: commit)
    }
    var divided = DividedLines(member, raw, findings, duplicates)
    for (day, lines) in divided.valid.sorted(by: { $0.key < $1.key }) {
      try sink.append(lines, of: logFile.name, day: day, from: commit)
    }
    guard !divided.rejected.isEmpty else { return }
    try sink.putAside(
      .init(logFile: logFile.name, offset: member.offset, content: .records(divided.takeRejected()), reason: divided.reason))
  }
}

/// The lines of a member, divided into valid and rejected ones.
private struct DividedLines {
  /// The valid lines by day.
  private(set) var valid: [CivilDate: RecordBatch] = [:]
  /// The rejected lines, each ended by a line feed.
  private(set) var rejected: [UInt8] = []
  /// The problem with the first rejected line.
  private(set) var reason = "records are already in the log"

  init(_ member: MemberReference, _ raw: [UInt8], _ findings: RecordFindings, _ duplicates: Set<Int>) {
    let timestamps = Dictionary(findings.records.map { ($0.number, $0.timestamp) }) { first, _ in first }
    // The checker does not support the records of this area: all of them are treated as valid.
    let isOpaque = findings.records.isEmpty && findings.complaints.isEmpty
    if let complaint = findings.complaints.first(where: { timestamps[$0.record] == nil }) { reason = complaint.reason }
    for line in RecordLines(of: raw) {
      let timestamp = isOpaque ? member.logFile.day.midnight : timestamps[line.number]
      if let timestamp, !duplicates.contains(line.number) {
        valid[timestamp.day, default: RecordBatch()].append(raw[line.text], timestamp: timestamp)
      } else {
        rejected += raw[line.text] + [UInt8(ascii: "\n")]
      }
    }
  }

  /// Removes and returns the rejected lines.
  mutating func takeRejected() -> [UInt8] {
    defer { rejected = [] }
    return rejected
  }
}
