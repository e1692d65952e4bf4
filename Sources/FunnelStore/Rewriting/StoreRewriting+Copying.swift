import Crypto
public import FunnelModel
import FunnelSystem

/// A member of a part that is being copied, in memory.
public struct CopiedMember: Sendable {
  /// The place of the member.
  public let reference: MemberReference
  let bytes: [UInt8]
  fileprivate let source: StoreReader

  /// Returns its lines, each ended by a line feed, after checking their CRC-32 and lengths.
  ///
  /// - Throws: `inputOutput` if it is damaged.
  public func lines() throws(FunnelError) -> [UInt8] { try source.decode(reference, bytes) }
}

/// The fate of a member that is copied.
public enum MemberFate: Sendable {
  /// Copy its compressed bytes unchanged.
  case keep
  /// Remove it.
  case drop
  /// Replace it by other lines, in members of the usual length; an empty batch removes it.
  case replace(RecordBatch)
}

extension StoreRewriting {
  /// The number of members per thread that are in memory at once.
  private static let membersAheadMax = 2

  /// Copies a part member by member, in order, on all threads and a few members at a time.
  ///
  /// The hash of each extent must match the journal: damaged data must not get a new hash that matches it.
  ///
  /// - Parameter decide: returns the fate of a member; called from any thread, in any order.
  /// - Throws: `inputOutput` if the part is damaged; the errors of `decide`.
  public func copy(
    _ part: PartName, _ decide: @escaping @Sendable (CopiedMember) throws(FunnelError) -> MemberFate
  ) throws(FunnelError) {
    for piece in source.journal.coverage.parts[part]?.extents ?? [] { try copy(piece, decide) }
  }

  private func copy(
    _ piece: CoveredPart.Piece, _ decide: @escaping @Sendable (CopiedMember) throws(FunnelError) -> MemberFate
  ) throws(FunnelError) {
    let members = try source.members(in: piece)
    let (part, step) = (piece.extent.part, options.threads * Self.membersAheadMax)
    let copier = MemberCopier(source: source, options: options, workspaces: workspaces)
    var digest = SHA256()
    var rest = members[...]
    try OrderedPipeline.run(
      threads: min(options.threads, members.count), underWay: step, next: { () throws(FunnelError) in rest.popFirst() },
      makeWorker: {},
      transform: { (_: inout Void, member: MemberReference) throws(FunnelError) in try copier.copy(member, decide) },
      consume: { (copy) throws(FunnelError) in
        digest.update(data: copy.original)
        for member in copy.replacements { try append(member, part.area, part.day) }
      })
    guard digest.finalize().hexadecimal == piece.extent.sha256 else {
      throw source.damaged(part, at: piece.extent.offset, "its hash does not match the journal")
    }
  }
}

/// Copies one member as decided, on any thread.
private struct MemberCopier: Sendable {
  let source: StoreReader
  let options: StoreWriter.Options
  let workspaces: MemberWorkspaces

  /// Returns the member's bytes and the members that replace it.
  func copy(
    _ reference: MemberReference, _ decide: @Sendable (CopiedMember) throws(FunnelError) -> MemberFate
  ) throws(FunnelError) -> (original: [UInt8], replacements: [EncodedMember]) {
    let bytes = try source.bytes(of: reference)
    switch try decide(CopiedMember(reference: reference, bytes: bytes, source: source)) {
    case .keep: return (bytes, [reference.header.member(of: bytes)])
    case .drop: return (bytes, [])
    case .replace(let lines): return (bytes, try encode(lines, as: reference.part))
    }
  }

  private func encode(_ lines: RecordBatch, as part: PartName) throws(FunnelError) -> [EncodedMember] {
    var options = options
    options.threads = 1
    var members: [EncodedMember] = []
    try MemberEncoder([(part.area, [part.day: lines])], options: options, workspaces: workspaces)
      .encode { (member, _, _) in members.append(member) }
    return members
  }
}
