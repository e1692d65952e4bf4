public import FunnelStore
public import FunnelModel
import FunnelIndex
import FunnelIngest
import FunnelSystem

/// Forgets subjects: removes their events, and the dead letters that mention them, from a store, and adds a ``Tombstones`` entry for each.
///
/// Finding and committing are two steps, so that the findings can be shown first.
///
///     let erasure = Erasure(of: subjects, key: try writer.reader.pseudonymKey(nil))
///     let findings = try erasure.findings(in: writer.reader, at: now, threads: 2)
///     let outcome = try erasure.carryOut(findings, on: writer, at: now, threads: 2)
///
/// The index has hashes of the subjects. It is removed before the commit, so that a crash never leaves it behind without the events.
public struct Erasure: Sendable {
  /// The data that a store holds about the subjects.
  public struct Findings: Sendable {
    /// The path of the store that was searched.
    var storePath = ""
    /// The number of events that will be removed.
    public internal(set) var events = 0
    /// The number of dead letters that will be removed.
    public internal(set) var deadLetters = 0
    /// The number of events of other subjects that have one of the subjects as a value; they stay.
    public internal(set) var mentions = 0
    /// The number of subjects that the store holds data about.
    public internal(set) var foundCount = 0
    /// The number of subjects that had been forgotten before.
    public internal(set) var forgottenBeforeCount = 0
    /// The number of files outside the parts that contain one of the subjects or can't be searched: data that a repair set aside, and
    /// leftovers of commands that were killed.
    public var staleFileCount: Int { staleFiles.count }
    var staleFiles: [StoragePath] = []
    /// The parts that will be rewritten, sorted.
    public internal(set) var parts: [LogFileName] = []
    /// The members that contain lines to be removed.
    var members = AffectedMembers()
    /// The tombstones that are missing.
    var tombstones = RecordBatch()

    /// Whether there is nothing to do.
    public var isEmpty: Bool { parts.isEmpty && tombstones.isEmpty && staleFiles.isEmpty }
    /// The number of tombstones to write.
    public var tombstoneCount: Int { tombstones.count }
  }

  /// The number of subjects.
  public var subjectCount: Int { stored.count }
  private let search: MemberSearch
  /// The subjects as an ingest stores them, which is the form that tombstones are made from.
  private let stored: [[UInt8]]

  /// Creates an erasure of subjects.
  ///
  /// - Parameter key: The key of a store of pseudonyms, which stores each subject under its pseudonym. A subject that is already a
  ///   pseudonym is found too.
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

  /// Searches the whole store, on several threads, one member at a time on each.
  ///
  /// - Parameters:
  ///   - time: The time of the erasure.
  ///   - progress: A closure that is called from any thread after each member, with the total bytes of members read so far.
  /// - Throws: `inputOutput` if the store is damaged: data that can't be read can't be searched.
  public func findings(
    in store: StoreReader, at time: Timestamp, threads: Int, progress: @Sendable (_ bytes: Int) -> Void = { _ in }
  ) throws(FunnelError) -> Findings {
    var findings = Findings()
    findings.storePath = store.path
    var found: Set<Int> = []
    let bytesRead = AtomicInteger(0)
    for area in [LogFileName.Area.log, .rejected] {
      let members = try store.members(of: area)
      let search = search
      let all = try Parallel.map(count: members.count, threads: threads) { (index) throws(FunnelError) in
        let member = members[index]
        defer { progress(bytesRead.add(member.header.memberBytes)) }
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
    let letters = DeadLetterSearch(subjects: search.subjects)
    findings.staleFiles = try StaleFiles(of: store).files { $0.withUnsafeBytes { letters.subject(in: $0) } != nil }
    findings.parts = findings.members.parts(in: store)
    try addTombstones(to: &findings, of: store, at: time)
    return findings
  }

  /// Commits the erasure to the store that was searched, and renews the index. It is durable when this returns.
  ///
  /// - Throws: `inputOutput` or `cannotCreate` if the commit failed; the log is then unchanged, and the index may be gone.
  public func apply(
    _ findings: Findings, on writer: StoreWriter, at time: Timestamp, threads: Int
  ) throws(FunnelError) -> MaintenanceOutcome {
    precondition(findings.storePath == writer.reader.path, "the findings are of another store")
    var isObsolete = findings.events > 0
    if !isObsolete { isObsolete = try IndexRemoval.hasStaleFiles(in: writer) }
    return try IndexMaintenance.around(writer, isObsolete: isObsolete, threads: threads) { () throws(FunnelError) in
      try commit(findings, to: writer, at: time)
    }
  }

  /// Commits the erasure.
  private func commit(_ findings: Findings, to writer: StoreWriter, at time: Timestamp) throws(FunnelError) -> Commit? {
    // The remains are not part of the commit, so they are removed first: an interruption after the commit would leave them, and no later
    // erasure would search for them.
    try StaleFiles(of: writer.reader).remove(findings.staleFiles)
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

  /// Reads back the rewritten members before the commit counts, and throws unless exactly the lines found are gone.
  private func requireGone(
    _ findings: Findings, _ before: StoreReader, _ after: StoreReader
  ) throws(FunnelError) {
    var (lines, left) = (0, 0)
    for area in [LogFileName.Area.log, .rejected] {
      lines += before.parts(of: area).reduce(0) { $0 + $1.records } - after.parts(of: area).reduce(0) { $0 + $1.records }
      for member in try after.members(of: area, after: before.commits.count) {
        left += try search.findings(in: after.read(member), of: member).lines
      }
    }
    guard lines == findings.events + findings.deadLetters, left == 0 else {
      throw FunnelError(
        .inputOutput,
        "\(before.path) was not written correctly, so nothing was forgotten; check disk and memory")
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
