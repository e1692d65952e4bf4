import FunnelModel
import FunnelSystem

/// An encoded gzip member that is ready to be appended.
struct EncodedMember: Sendable {
  var bytes: [UInt8]
  var rawBytes: Int
  var records: Int
  var timestamps: ClosedRange<Timestamp>
}

/// Divides batches into members and compresses them on several threads, a bounded number at a time.
struct MemberEncoder: Sendable {
  /// The number of members per thread that may be compressed and not yet written, so that a short wait for the disk stops no thread.
  private static let membersAheadMax = 4

  private struct Piece: Sendable {
    var area: LogFileName.Area
    var day: CivilDate
    var batch: RecordBatch
    var run: RecordBatch.Run
  }

  private let threads: Int
  private let workspaces: MemberWorkspaces
  private let pieces: [Piece]

  init(
    _ records: [(area: LogFileName.Area, byDay: [CivilDate: RecordBatch])], options: StoreWriter.Options,
    workspaces: MemberWorkspaces
  ) {
    self.workspaces = workspaces
    pieces = records.flatMap { area, byDay in
      byDay.sorted { $0.key < $1.key }.flatMap { day, records in
        records.runs(rawBytesTarget: options.memberRawBytesTarget)
          .map { Piece(area: area, day: day, batch: records, run: $0) }
      }
    }
    threads = max(1, min(options.threads, pieces.count))
  }

  /// Passes the members to `body` in order: by area as they were given, and within an area by day.
  ///
  /// With several threads the calling one compresses nothing: it can write one member while the others compress the next.
  func encode(
    _ body: (EncodedMember, LogFileName.Area, CivilDate) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    var rest = pieces[...]
    try OrderedPipeline.run(
      threads: threads, underWay: threads * Self.membersAheadMax, next: { () throws(FunnelError) in rest.popFirst() },
      makeWorker: { workspaces.lend() },
      transform: { (lent, piece) throws(FunnelError) in (encode(piece, in: lent.workspace), piece.area, piece.day) },
      consume: { (encoded) throws(FunnelError) in try body(encoded.0, encoded.1, encoded.2) })
  }

  private func encode(_ piece: Piece, in workspace: MemberWorkspace) -> EncodedMember {
    let (run, timestamps) = (piece.run, piece.run.timestamps)
    precondition(
      piece.area != .log || (timestamps.lowerBound.day == piece.day && timestamps.upperBound.day == piece.day),
      "events are filed under the day of their timestamp")
    let raw = workspace.room(for: run.byteCount)
    piece.batch.gather(run.lines, into: raw)
    let bytes = GzipMember.encode(
      UnsafeRawBufferPointer(raw), lines: run.lines.count, timestamps: timestamps, with: workspace.deflater)
    return EncodedMember(bytes: bytes, rawBytes: run.byteCount, records: run.lines.count, timestamps: timestamps)
  }
}
