import Crypto
package import FunnelModel
import FunnelSystem

/// A member of a log file that is being copied, read into memory.
package struct CopiedMember: Sendable {
  /// The location of the member.
  package let reference: MemberReference
  /// The compressed bytes.
  let bytes: [UInt8]
  fileprivate let source: StoreReader

  /// Inflates the member. Returns its lines, each ended by a line feed, after checking the CRC-32 and the lengths.
  ///
  /// - Throws: `inputOutput` if the member is damaged.
  package func lines() throws(FunnelError) -> [UInt8] { try source.decode(reference, bytes) }
}

/// The decision on a member that is copied.
package enum MemberFate: Sendable {
  /// Copies the compressed bytes unchanged.
  case keep
  /// Removes the member.
  case drop
  /// Replaces the member by some of its lines, in their order. An empty batch removes it.
  case replace(RecordBatch)
}

extension StoreRewriting {
  /// The number of members per thread that are in memory at once.
  private static let membersAheadMax = 2

  /// Copies a log file member by member, in order, on several threads.
  ///
  /// The hash of each extent is checked, because damaged data must not get a new, matching hash.
  ///
  /// - Parameters:
  ///   - logFile: The log file. Nothing is copied if the journal does not cover it.
  ///   - decide: A closure that returns the decision on a member. It is called on any thread, in any order.
  /// - Throws: `inputOutput` if the log file is damaged; the errors of `decide`.
  package func copy(
    _ logFile: LogFileName, _ decide: @escaping @Sendable (CopiedMember) throws(FunnelError) -> MemberFate
  ) throws(FunnelError) {
    for piece in source.journal.coverage.logFiles[logFile]?.extents ?? [] { try copy(piece, decide) }
  }

  private func copy(
    _ piece: CoveredLogFile.Piece, _ decide: @escaping @Sendable (CopiedMember) throws(FunnelError) -> MemberFate
  ) throws(FunnelError) {
    let members = try source.members(in: piece)
    let logFile = piece.extent.logFile
    let step = options.threads * Self.membersAheadMax
    let copier = MemberCopier(source: source, options: options, workspaces: workspaces)
    var digest = SHA256()
    var uncopied = members[...]
    var origins = piece.origins
    try OrderedPipeline.run(
      threads: min(options.threads, members.count), inProgressMax: step,
      next: { () throws(FunnelError) in uncopied.popFirst().map { ($0, origins.takeFirst($0.header.lines)) } },
      makeWorker: {},
      transform: { (_: inout Void, member: (MemberReference, [RecordOrigin])) throws(FunnelError) in
        try copier.copy(member.0, from: member.1, decide)
      },
      consume: { (copy) throws(FunnelError) in
        digest.update(data: copy.original)
        var remaining = copy.origins
        for member in copy.replacements { try append(member, logFile.area, logFile.day, remaining.takeFirst(member.records)) }
      })
    guard digest.finalize().hexadecimal == piece.extent.sha256 else {
      throw source.damaged(logFile, at: piece.extent.offset, "its hash does not match the journal")
    }
  }
}

/// Reads one member and encodes its replacements. Thread-safe.
private struct MemberCopier: Sendable {
  let source: StoreReader
  let options: StoreWriter.Options
  let workspaces: MemberWorkspaces

  /// A copied member.
  struct Copy: Sendable {
    /// The compressed bytes of the original member.
    let original: [UInt8]
    /// The members that replace it.
    let replacements: [EncodedMember]
    /// The origins of the records in the replacements.
    let origins: [RecordOrigin]
  }

  /// Returns a copy of a member.
  ///
  /// - Parameter origins: The origins of the member's records.
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
      let replacements = try encode(lines, as: reference.logFile)
      return Copy(original: bytes, replacements: replacements, origins: try self.origins(of: lines, left: origins, of: member))
    }
  }

  /// Returns the origins of the remaining lines of a member.
  ///
  /// - Precondition: The remaining lines are some of the member's lines, in their order.
  private func origins(
    of lines: RecordBatch, left origins: [RecordOrigin], of member: CopiedMember
  ) throws(FunnelError) -> [RecordOrigin] {
    if lines.count == origins.recordCount { return origins }
    if Set(origins.map(\.commit)).count == 1 {
      return lines.isEmpty ? [] : [RecordOrigin(commit: origins[0].commit, records: lines.count)]
    }
    // The remaining lines are a subsequence of the original ones, so one pass over both finds the original of each.
    let originalBytes = try member.lines()
    let remainingBytes = lines.bytes
    var remainingLines = RecordLines(of: remainingBytes).makeIterator()
    var wanted = remainingLines.next()
    var found: [RecordOrigin] = []
    for (line, commit) in zip(RecordLines(of: originalBytes), origins.commits) {
      guard let next = wanted else { break }
      guard remainingBytes[next.text].elementsEqual(originalBytes[line.text]) else { continue }
      found.append(1, of: commit)
      wanted = remainingLines.next()
    }
    precondition(found.recordCount == lines.count, "what remains of a member is some of its lines, in their order")
    return found
  }

  /// Compresses lines into members of the usual size, on the current thread.
  private func encode(_ lines: RecordBatch, as logFile: LogFileName) throws(FunnelError) -> [EncodedMember] {
    var options = options
    // Members are already copied on all threads.
    options.threads = 1
    var members: [EncodedMember] = []
    try MemberEncoder([(logFile.area, [logFile.day: lines])], options: options, workspaces: workspaces)
      .encode { (member, _, _) in members.append(member) }
    return members
  }
}
