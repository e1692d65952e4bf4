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
    var section: RecordBatch.Section
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
        records.sections(rawBytesTarget: options.memberRawBytesTarget)
          .map { Piece(area: area, day: day, batch: records, section: $0) }
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
      threads: threads, inProgressMax: threads * Self.membersAheadMax, next: { () throws(FunnelError) in waiting.popFirst() },
      makeWorker: { workspaces.acquire() },
      transform: { (lease, piece) throws(FunnelError) in (encode(piece, in: lease.workspace), piece.area, piece.day) },
      consume: { (encoded) throws(FunnelError) in try body(encoded.0, encoded.1, encoded.2) })
  }

  /// Gathers and compresses the lines of a member.
  private func encode(_ piece: Piece, in workspace: MemberWorkspace) -> EncodedMember {
    let section = piece.section
    let timestamps = section.timestamps
    precondition(
      piece.area != .log || (timestamps.lowerBound.day == piece.day && timestamps.upperBound.day == piece.day),
      "events are filed under the day of their timestamp")
    let raw = workspace.raw
    raw.removeAll()
    raw.append(addingCapacity: section.byteCount) { piece.batch.gather(section.lines, into: &$0) }
    assert(raw.count == section.byteCount, "the section has the announced length")
    let bytes = GzipMember.encode(raw.span, lines: section.lines.count, timestamps: timestamps, with: workspace.deflater)
    return EncodedMember(bytes: bytes, rawBytes: section.byteCount, records: section.lines.count, timestamps: timestamps)
  }
}

/// The reusable resources for encoding gzip members: a compressor, and a buffer for the lines of a member.
///
/// Not thread-safe. It is `Sendable` because ``MemberWorkspaces`` lends it to one thread at a time.
final class MemberWorkspace: @unchecked Sendable {
  let deflater: Deflater
  /// The buffer for the lines of the current member.
  let raw = PaddedBytes()

  init(_ compression: Deflater.Method) { deflater = Deflater(compression) }
}

/// The pool of a writer's workspaces. Thread-safe.
///
/// Workspaces take megabytes, so they are reused: the kernel would clear the memory of each new one.
final class MemberWorkspaces: Sendable {
  private let compression: Deflater.Method
  private let free = Guarded<[MemberWorkspace]>([])

  init(_ compression: Deflater.Method) {
    self.compression = compression
  }

  /// Acquires a workspace, creating one if all are in use. It returns to the pool when the result is released.
  func acquire() -> WorkspaceLease {
    WorkspaceLease(free.withLock { $0.popLast() } ?? MemberWorkspace(compression), of: self)
  }

  /// Adds a workspace that is no longer in use.
  fileprivate func release(_ workspace: MemberWorkspace) {
    free.withLock { $0.append(workspace) }
  }
}

/// A workspace acquired from a pool. The workspace returns to the pool when the last reference to this object is released.
final class WorkspaceLease {
  let workspace: MemberWorkspace
  private let pool: MemberWorkspaces

  fileprivate init(_ workspace: MemberWorkspace, of pool: MemberWorkspaces) {
    self.workspace = workspace
    self.pool = pool
  }

  deinit { pool.release(workspace) }
}
