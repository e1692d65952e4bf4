public import FunnelStore
public import FunnelModel
import FunnelSystem
import Synchronization

/// Forgets subjects: takes all lines that are theirs, or speak of them, out of a store, and leaves a ``Tombstones`` entry for each.
///
/// Looking and doing are two steps, so that what would go can be shown first.
///
///     let erasure = Erasure(of: subjects, key: try store.pseudonymKey(nil))
///     let findings = try erasure.findings(in: writer.reader, threads: 2)
///     let commit = try erasure.commit(findings, to: writer, at: now)
///
/// The index, which is derived, is the caller's to remove before and to make anew after.
public struct Erasure: Sendable {
  /// What a store holds of the subjects.
  public struct Findings: Sendable {
    /// Events that go.
    public internal(set) var events = 0
    /// Dead letters that go.
    public internal(set) var deadLetters = 0
    /// Events of others that have one of the subjects as a value; they stay.
    public internal(set) var mentions = 0
    /// Subjects of whom the store holds something.
    public internal(set) var foundCount = 0
    /// Subjects that were forgotten before.
    public internal(set) var forgottenBeforeCount = 0
    /// Files beside the parts that hold something of the subjects, or bytes that can't be searched: what a repair put aside, what was left
    /// by a command that was killed.
    public var remainsCount: Int { remains.count }
    var remains: [StoragePath] = []
    /// The parts that are written anew, sorted.
    public internal(set) var parts: [PartName] = []
    /// The members that hold something that goes.
    var members = AffectedMembers()
    /// The tombstones that are missing.
    var tombstones = RecordBatch()

    /// Whether there is nothing to do.
    public var isEmpty: Bool { parts.isEmpty && tombstones.isEmpty && remains.isEmpty }
    /// How many tombstones are written.
    public var tombstoneCount: Int { tombstones.count }
  }

  /// How many there are.
  public var subjectCount: Int { stored.count }
  private let search: MemberSearch
  /// The subjects as ingest would store them, and so what their tombstones are of.
  private let stored: [[UInt8]]

  /// The erasure of subjects.
  ///
  /// - Parameter key: that of a store of pseudonyms, which holds the subjects under theirs; a subject that is a pseudonym already is
  ///   found too.
  public init(of subjects: [String], key: PseudonymKey?) {
    var set = SubjectSet()
    var stored: [[UInt8]] = []
    for (number, subject) in subjects.enumerated() {
      let raw = Array(subject.utf8)
      set.insert(raw, subject: number)
      guard let key, !PseudonymKey.isPseudonym(raw) else {
        stored.append(raw)
        continue
      }
      let pseudonym = raw.withUnsafeBytes { key.pseudonym(of: $0) }
      set.insert(pseudonym, subject: number)
      stored.append(pseudonym)
    }
    search = MemberSearch(subjects: set)
    self.stored = stored
  }

  /// Looks through all of a store, on all threads, a member at a time each.
  ///
  /// - Parameters:
  ///   - time: the moment of the erasure.
  ///   - progress: called now and then, from any thread, with the bytes of members that were read so far.
  /// - Throws: `inputOutput` where the store is damaged: what can't be read can't be searched.
  public func findings(
    in store: StoreReader, at time: Timestamp, threads: Int, progress: @Sendable (_ bytes: Int) -> Void = { _ in }
  ) throws(FunnelError) -> Findings {
    var findings = Findings()
    var found: Set<Int> = []
    let bytesRead = Atomic(0)
    for area in [PartName.Area.log, .rejected] {
      let members = try store.members(of: area)
      let search = search
      let all = try Parallel.map(count: members.count, threads: threads) { (index) throws(FunnelError) in
        let member = members[index]
        defer { progress(bytesRead.add(member.header.memberBytes, ordering: .relaxed).newValue) }
        return try search.findings(in: store.read(member), of: member)
      }
      for (member, inMember) in zip(members, all) {
        findings.mentions += inMember.mentions
        guard inMember.lines > 0 else { continue }
        if area == .log { findings.events += inMember.lines } else { findings.deadLetters += inMember.lines }
        found.formUnion(inMember.subjects)
        findings.members.insert(member)
      }
    }
    findings.foundCount = found.count
    let letters = LetterSearch(subjects: search.subjects)
    findings.remains = try StoreRemains(of: store).files { $0.withUnsafeBytes { letters.subject(in: $0) } != nil }
    findings.parts = findings.members.parts(in: store)
    try addTombstones(to: &findings, of: store, at: time)
    return findings
  }

  /// Makes the commit; on the disk when this returns. The writer must hold what was searched.
  ///
  /// - Returns: nil where there is nothing to commit.
  /// - Throws: `inputOutput` or `cannotCreate` where it could not be made; then the store is as it was.
  public func commit(_ findings: Findings, to writer: StoreWriter, at time: Timestamp) throws(FunnelError) -> Commit? {
    // First what is no part of the commit: were it last, what breaks the erasure off could leave it, and nobody would look again.
    try StoreRemains(of: writer.reader).remove(findings.remains)
    guard !findings.parts.isEmpty || !findings.tombstones.isEmpty else { return nil }
    var batch = CommitBatch(kind: "forget", at: time)
    batch.removed = findings.parts
    if !findings.tombstones.isEmpty { batch.tombstones[time.day] = findings.tombstones }
    let search = search
    let check = { (before: StoreReader, after: StoreReader) throws(FunnelError) in
      try self.requireGone(findings, before, after)
    }
    return try writer.rewrite(batch, check: check) { (rewriting) throws(FunnelError) in
      try findings.members.copy(findings.parts, to: rewriting) { (lines, member) throws(FunnelError) in
        try search.remainder(of: lines, of: member)
      }
    }
  }

  /// Reads back what was written, before it counts: all that was to go is gone, and nothing else.
  private func requireGone(
    _ findings: Findings, _ before: StoreReader, _ after: StoreReader
  ) throws(FunnelError) {
    var (lines, left) = (0, 0)
    for area in [PartName.Area.log, .rejected] {
      lines += before.parts(of: area).reduce(0) { $0 + $1.records } - after.parts(of: area).reduce(0) { $0 + $1.records }
      for member in try after.members(of: area, after: before.commits.count) {
        left += try search.findings(in: after.read(member), of: member).lines
      }
    }
    guard lines == findings.events + findings.deadLetters, left == 0 else {
      throw FunnelError(
        .inputOutput,
        "what was written to \(before.path) is not what was to stay, so nothing was forgotten; check disk and memory")
    }
  }

  private func addTombstones(to findings: inout Findings, of store: StoreReader, at time: Timestamp) throws(FunnelError) {
    let tombstones = try Tombstones(of: store)
    findings.forgottenBeforeCount = stored.reduce(0) { count, subject in
      count + (subject.withUnsafeBytes { tombstones.contain($0) } ? 1 : 0)
    }
    findings.tombstones = tombstones.lines(for: stored, at: time)
  }
}
