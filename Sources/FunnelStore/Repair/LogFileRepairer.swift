import FunnelModel
import FunnelSystem

/// Divides a damaged part into what is sound and what is not.
struct LogFileRepairer {
  /// The receiver of the pieces.
  protocol Sink {
    /// Receives a member that stays unchanged, and the commit that brought its records.
    mutating func keep(_ member: MemberReference, from commit: Int) throws(FunnelError)
    /// Receives records that stay, in new members, and the commit that brought them.
    mutating func append(_ lines: RecordBatch, of part: LogFileName, day: CivilDate, from commit: Int) throws(FunnelError)
    /// Receives data that does not stay.
    mutating func putAside(_ piece: DamagedFolder.Piece) throws(FunnelError)
  }

  let files: StoreFiles
  let part: CoveredLogFile
  let checker: any RecordChecker
  /// The numbers of records that are in the log already, by the offset of their member.
  let duplicates: [Int: Set<Int>]

  /// Passes everything in the part to a sink, in order.
  func run(into sink: inout some Sink) throws(FunnelError) {
    let path = files.path(of: part.name)
    guard let status = try files.fileSystem.status(of: path), status.kind == .file else { return }
    let file = try files.fileSystem.open(path, for: .read)
    for piece in part.extents where piece.extent.offset < status.size {
      let range = piece.extent.offset..<min(piece.extent.offset + piece.extent.bytes, status.size)
      let scan = try MemberScan(searching: range, of: part.name, commit: piece.commit, in: file, files.fileSystem)
      for gap in scan.gaps {
        try sink.putAside(
          .init(part: part.name, offset: gap.range.lowerBound, content: .bytes(gap.range), reason: gap.reason))
      }
      // Which records are lost is not known, so that those of several commits count as the first one's.
      let commit = piece.origins.map(\.commit).min() ?? piece.commit
      for member in scan.members { try mend(member, from: commit, in: file, into: &sink) }
    }
  }

  private func mend(_ member: MemberReference, from commit: Int, in file: File, into sink: inout some Sink) throws(FunnelError)
  {
    let bytes = try files.fileSystem.read(file, at: member.offset, count: member.header.memberBytes)
    guard case .success(let header) = bytes.header, case .success(let raw) = bytes.decoded else {
      throw FunnelError(.inputOutput, "\(files.path(of: part.name)) changed while it was repaired, check the disk")
    }
    let findings = checker.findings(about: raw, in: part.name)
    let duplicates = duplicates[member.offset] ?? []
    let isHeaderTrue = header == member.header && (findings.timestamps ?? header.timestamps) == header.timestamps
    if isHeaderTrue, findings.complaints.isEmpty, duplicates.isEmpty, raw.last == UInt8(ascii: "\n") {
      return try sink.keep(member, from: commit)
    }
    var sorted = SortedLines(member, raw, findings, duplicates)
    for (day, lines) in sorted.sound.sorted(by: { $0.key < $1.key }) {
      try sink.append(lines, of: part.name, day: day, from: commit)
    }
    guard !sorted.refused.isEmpty else { return }
    try sink.putAside(
      .init(part: part.name, offset: member.offset, content: .records(sorted.takeRefused()), reason: sorted.reason))
  }
}

/// The lines of a member: those that stay, by day, and those that do not.
private struct SortedLines {
  private(set) var sound: [CivilDate: RecordBatch] = [:]
  private(set) var refused: [UInt8] = []
  /// The problem with the first line that does not stay.
  private(set) var reason = "records are already in the log"

  init(_ member: MemberReference, _ raw: [UInt8], _ findings: RecordFindings, _ duplicates: Set<Int>) {
    let timestamps = Dictionary(findings.records.map { ($0.number, $0.timestamp) }) { first, _ in first }
    // The checker does not know records of this area: all of them stay.
    let isOpaque = findings.records.isEmpty && findings.complaints.isEmpty
    if let complaint = findings.complaints.first(where: { timestamps[$0.record] == nil }) { reason = complaint.reason }
    for line in RecordLines(of: raw) {
      let timestamp = isOpaque ? member.part.day.midnight : timestamps[line.number]
      if let timestamp, !duplicates.contains(line.number) {
        sound[timestamp.day, default: RecordBatch()].append(raw[line.text], timestamp: timestamp)
      } else {
        refused += raw[line.text] + [UInt8(ascii: "\n")]
      }
    }
  }

  mutating func takeRefused() -> [UInt8] {
    defer { refused = [] }
    return refused
  }
}
