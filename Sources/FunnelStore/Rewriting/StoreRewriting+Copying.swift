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
    _ part: LogFileName, _ decide: @escaping @Sendable (CopiedMember) throws(FunnelError) -> MemberFate
  ) throws(FunnelError) {
    for piece in source.journal.coverage.parts[part]?.extents ?? [] { try copy(piece, decide) }
  }

  private func copy(
    _ piece: CoveredLogFile.Piece, _ decide: @escaping @Sendable (CopiedMember) throws(FunnelError) -> MemberFate
  ) throws(FunnelError) {
    let members = try source.members(in: piece)
    let (part, step) = (piece.extent.part, options.threads * Self.membersAheadMax)
    let copier = MemberCopier(source: source, options: options, workspaces: workspaces)
    var digest = SHA256()
    var rest = members[...]
    var origins = piece.origins
    try OrderedPipeline.run(
      threads: min(options.threads, members.count), underWay: step,
      next: { () throws(FunnelError) in rest.popFirst().map { ($0, origins.takeFirst($0.header.lines)) } },
      makeWorker: {},
      transform: { (_: inout Void, member: (MemberReference, [RecordOrigin])) throws(FunnelError) in
        try copier.copy(member.0, from: member.1, decide)
      },
      consume: { (copy) throws(FunnelError) in
        digest.update(data: copy.original)
        var left = copy.origins
        for member in copy.replacements { try append(member, part.area, part.day, left.takeFirst(member.records)) }
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

  /// A member's bytes, the members that replace it, and where their records came from.
  struct Copy: Sendable {
    let original: [UInt8]
    let replacements: [EncodedMember]
    let origins: [RecordOrigin]
  }

  /// Returns a copy of a member whose records came from some commits.
  func copy(
    _ reference: MemberReference, from origins: [RecordOrigin],
    _ decide: @Sendable (CopiedMember) throws(FunnelError) -> MemberFate
  ) throws(FunnelError) -> Copy {
    let bytes = try source.bytes(of: reference)
    let member = CopiedMember(reference: reference, bytes: bytes, source: source)
    switch try decide(member) {
    case .keep: return Copy(original: bytes, replacements: [reference.header.member(of: bytes)], origins: origins)
    case .drop: return Copy(original: bytes, replacements: [], origins: [])
    case .replace(let lines):
      let replacements = try encode(lines, as: reference.part)
      return Copy(original: bytes, replacements: replacements, origins: try self.origins(of: lines, left: origins, of: member))
    }
  }

  /// Returns where the remaining lines of a member came from: each is one of the member's lines, in their order.
  private func origins(
    of lines: RecordBatch, left origins: [RecordOrigin], of member: CopiedMember
  ) throws(FunnelError) -> [RecordOrigin] {
    if lines.count == origins.recordCount { return origins }
    if Set(origins.map(\.commit)).count == 1 {
      return lines.isEmpty ? [] : [RecordOrigin(commit: origins[0].commit, records: lines.count)]
    }
    let (raw, rest) = (try member.lines(), lines.bytes)
    var remaining = RecordLines(of: rest).makeIterator()
    var wanted = remaining.next()
    var found: [RecordOrigin] = []
    for (line, commit) in zip(RecordLines(of: raw), origins.commits) {
      guard let next = wanted else { break }
      guard rest[next.text].elementsEqual(raw[line.text]) else { continue }
      found.append(1, of: commit)
      wanted = remaining.next()
    }
    precondition(found.recordCount == lines.count, "what remains of a member is some of its lines, in their order")
    return found
  }

  private func encode(_ lines: RecordBatch, as part: LogFileName) throws(FunnelError) -> [EncodedMember] {
    var options = options
    options.threads = 1
    var members: [EncodedMember] = []
    try MemberEncoder([(part.area, [part.day: lines])], options: options, workspaces: workspaces)
      .encode { (member, _, _) in members.append(member) }
    return members
  }
}
