import Crypto
import FunnelModel
import FunnelSystem

/// Replaces the small members of a day by members of the target size. The memory doesn't depend on the size of the day.
struct MemberCompactor {
  let rewriting: StoreRewriting
  let checker: any RecordChecker
  let options: StoreWriter.Options
  /// The records that were read and not written yet.
  private var buffer = RecordBuffer()
  /// The origins of the records in the buffer, and of those that are still to be read from the current extent.
  private var origins: [RecordOrigin] = []

  /// The number of members per thread that are in memory at once.
  private static let membersAheadMax = 4

  init(rewriting: StoreRewriting, checker: any RecordChecker, options: StoreWriter.Options) {
    self.rewriting = rewriting
    self.checker = checker
    self.options = options
  }

  /// Compacts a day. Calls `done` after each extent with its size.
  mutating func compact(_ day: CompactionPlan.Day, _ done: (_ bytes: Int) -> Void) throws(FunnelError) {
    for logFile in day.logFiles {
      for piece in logFile.extents {
        try compact(piece)
        done(piece.extent.bytes)
      }
    }
    try write(buffer.takeAll(), of: day.day)
  }

  private mutating func compact(_ piece: CoveredLogFile.Piece) throws(FunnelError) {
    let source = rewriting.source
    let members = try source.members(in: piece)
    let step = max(options.threads, 1) * Self.membersAheadMax
    // A member of an earlier compaction that is at least half full is copied unchanged.
    let keptRawBytesMin = source.isCompacted(piece) ? (options.memberRawBytesTarget + 1) / 2 : .max
    origins.append(joining: piece.origins)
    var digest = SHA256()
    var unread = members[...]
    try OrderedPipeline.run(
      threads: min(options.threads, members.count), inProgressMax: step, next: { () throws(FunnelError) in unread.popFirst() },
      makeWorker: {},
      transform: { [checker] (_: inout Void, member: MemberReference) throws(FunnelError) in
        try ReadMember(member, of: source, checker: checker, isKept: member.header.rawBytes >= keptRawBytesMin)
      },
      consume: { (member) throws(FunnelError) in
        digest.update(data: member.bytes)
        try take(member, step: step)
      })
    // Damaged data must not get a new hash that matches it.
    guard digest.finalize().hexadecimal == piece.extent.sha256 else {
      throw source.damaged(piece.extent.logFile, at: piece.extent.offset, "its hash does not match the journal")
    }
  }

  /// Copies a member that is kept, or adds its lines to the buffer and writes the full members in it.
  private mutating func take(_ member: ReadMember, step: Int) throws(FunnelError) {
    let logFile = member.reference.logFile
    guard let lines = member.lines else {
      try write(buffer.takeAll(), of: logFile.day)
      let kept = member.reference.header.member(of: member.bytes)
      return try rewriting.append(kept, logFile.area, logFile.day, origins.takeFirst(kept.records))
    }
    buffer.append(lines.raw, lines.records)
    if buffer.byteCount >= step * options.memberRawBytesTarget {
      try write(buffer.takeFull(memberRawBytesTarget: options.memberRawBytesTarget), of: logFile.day)
    }
  }

  private mutating func write(_ lines: RecordBatch, of day: CivilDate) throws(FunnelError) {
    if !lines.isEmpty { try rewriting.append(lines, .log, day, from: origins.takeFirst(lines.count)) }
  }
}

/// A member that was read from the old log file.
private struct ReadMember: Sendable {
  let reference: MemberReference
  /// The compressed bytes.
  let bytes: [UInt8]
  /// The inflated lines and their records, or `nil` if the member is copied unchanged.
  let lines: (raw: [UInt8], records: [RecordFindings.Record])?

  init(
    _ reference: MemberReference, of source: StoreReader, checker: any RecordChecker, isKept: Bool
  ) throws(FunnelError) {
    self.reference = reference
    bytes = try source.bytes(of: reference)
    guard !isKept else {
      lines = nil
      return
    }
    let raw = try source.decode(reference, bytes)
    let findings = checker.check(raw, in: reference.logFile)
    if let complaint = findings.complaints.first {
      throw source.damaged(reference.logFile, at: reference.offset, "record \(complaint.record), \(complaint.reason)")
    }
    guard raw.last == UInt8(ascii: "\n"), findings.records.count == raw.count(where: { $0 == UInt8(ascii: "\n") }) else {
      throw source.damaged(reference.logFile, at: reference.offset, "a member's lines do not match its records")
    }
    lines = (raw, findings.records)
  }
}

/// A queue of records between old members and new ones.
private struct RecordBuffer {
  private var chunks: [[UInt8]] = []
  private var lines: [RecordBatch.Line] = []
  private(set) var byteCount = 0

  /// Appends the lines of a member, one per record.
  mutating func append(_ raw: [UInt8], _ records: [RecordFindings.Record]) {
    for (record, line) in zip(records, RecordLines(of: raw)) {
      lines.append(line.batchLine(at: record.timestamp, chunk: chunks.count))
    }
    chunks.append(raw)
    byteCount += raw.count
  }

  /// Removes and returns all lines.
  mutating func takeAll() -> RecordBatch {
    defer { self = RecordBuffer() }
    return RecordBatch(chunks: chunks, lines: lines[...])
  }

  /// Removes and returns the lines of all members but the last one, which may not be full yet.
  mutating func takeFull(memberRawBytesTarget: Int) -> RecordBatch {
    let all = RecordBatch(chunks: chunks, lines: lines[...])
    guard let last = all.sections(rawBytesTarget: memberRawBytesTarget).last, last.lines.lowerBound > 0 else {
      return RecordBatch()
    }
    let full = RecordBatch(chunks: chunks, lines: lines[..<last.lines.lowerBound])
    let firstChunk = lines[last.lines.lowerBound].chunk
    lines = lines[last.lines].map { line in
      var line = line
      line.chunk -= firstChunk
      return line
    }
    chunks.removeFirst(Int(firstChunk))
    byteCount = last.byteCount
    return full
  }
}
