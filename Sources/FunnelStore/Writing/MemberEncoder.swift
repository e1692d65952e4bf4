import FunnelModel
import FunnelSystem

/// A gzip member in its encoded form, and the summary of its contents.
struct EncodedMember: Sendable {
  /// The bytes of the member.
  var bytes: [UInt8]
  /// The length of the inflated data, in bytes.
  var rawBytes: Int
  /// The number of lines.
  var records: Int
  /// The smallest and the largest timestamp.
  var timestamps: ClosedRange<Timestamp>
}

/// Divides batches of records into gzip members, and compresses them on several threads in bounded memory.
struct MemberEncoder: Sendable {
  /// The number of members per thread that may be in progress. More than one, so that a short wait for the disk
  /// doesn't stop a thread.
  private static let membersAheadMax = 4

  /// The lines of a member that is to be compressed.
  private struct Piece: Sendable {
    var area: LogFileName.Area
    var day: CivilDate
    var batch: RecordBatch
    var run: RecordBatch.Run
  }

  private let threads: Int
  private let workspaces: MemberWorkspaces
  private let pieces: [Piece]

  /// Creates an encoder of the records of each area by day.
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

  /// Passes the members to `body`, on the calling thread: in the order of the areas, and within an area by day.
  ///
  /// With several threads, the calling thread doesn't compress. It can write a member while the others compress the next ones.
  func encode(
    _ body: (EncodedMember, LogFileName.Area, CivilDate) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    var waiting = pieces[...]
    try OrderedPipeline.run(
      threads: threads, underWay: threads * Self.membersAheadMax, next: { () throws(FunnelError) in waiting.popFirst() },
      makeWorker: { workspaces.lend() },
      transform: { (lent, piece) throws(FunnelError) in (encode(piece, in: lent.workspace), piece.area, piece.day) },
      consume: { (encoded) throws(FunnelError) in try body(encoded.0, encoded.1, encoded.2) })
  }

  /// Gathers and compresses the lines of a member.
  private func encode(_ piece: Piece, in workspace: MemberWorkspace) -> EncodedMember {
    let run = piece.run
    let timestamps = run.timestamps
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
