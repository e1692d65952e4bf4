package import FunnelStore
package import FunnelModel
import FunnelIndex
import FunnelDecoding
import FunnelSystem

/// An erasure of subjects: removes their events and the dead letters that mention them from a store, and adds a
/// tombstone for each.
///
/// Finding and committing are two steps, so that the user can confirm the plan.
///
///     let erasure = Erasure(of: subjects, key: try writer.reader.pseudonymKey(nil))
///     let plan = try erasure.plan(in: writer.reader, at: now, threads: 2)
///     let outcome = try erasure.apply(plan, on: writer, at: now, threads: 2)
///
/// The index contains hashes of the subjects. It is removed before the commit, so that it never outlives the
/// events, even after a crash.
package struct Erasure: Sendable {
  /// The data that a store holds about the subjects.
  package struct Plan: Sendable {
    /// The path of the store that was searched.
    let storePath: String
    /// The number of events that will be removed.
    package internal(set) var events = 0
    /// The number of dead letters that will be removed.
    package internal(set) var deadLetters = 0
    /// The number of events of other subjects that contain one of the subjects as a value. They are not removed.
    package internal(set) var mentions = 0
    /// The subjects of a person to forget that others use too, sorted. All their events are removed.
    package internal(set) var sharedSubjects: [SharedSubject] = []
    /// The number of subjects that have events or dead letters in the store.
    package internal(set) var foundCount = 0
    /// The number of subjects that were forgotten before.
    package internal(set) var forgottenBeforeCount = 0
    /// The number of files outside the log that will be removed.
    package var staleFileCount: Int { staleFiles.count }
    /// The files of earlier repairs and of killed commands that contain one of the subjects or can't be searched.
    var staleFiles: [StoragePath] = []
    /// The log files that will be rewritten, sorted.
    package internal(set) var logFiles: [LogFileName] = []
    /// The members that contain lines to be removed.
    var members = AffectedMembers()
    /// The tombstones to be added, for subjects that have none.
    var tombstones = RecordBatch()

    init(of store: StoreReader) { storePath = store.path }

    /// Whether there is nothing to remove and no tombstone to add.
    package var isEmpty: Bool { logFiles.isEmpty && tombstones.isEmpty && staleFiles.isEmpty }
    /// The number of tombstones to be added.
    package var tombstoneCount: Int { tombstones.count }
  }

  /// A subject that belongs to a person to forget, and to others.
  package struct SharedSubject: Sendable {
    /// The subject, as it is stored.
    package let subject: String
    /// The other users whose events the subject has too, sorted.
    package let users: [String]
    /// Whether events of the subject name the subject itself as their user, so that it is also a person that was not named.
    package let isPerson: Bool
    /// The number of all events of the subject.
    package let eventCount: Int
  }

  /// The number of subjects.
  package var subjectCount: Int { stored.count }
  /// The number of persons, or `nil` if the erasure is of subjects.
  package var personCount: Int? { persons?.count }
  private let search: MemberSearch
  /// The subjects in the form in which they are stored: pseudonyms in a store of pseudonyms. Tombstones are made of this form.
  private let stored: [[UInt8]]
  /// The persons to erase in the form in which they are stored, or `nil` if the erasure is of subjects.
  private let persons: Set<[UInt8]>?

  /// Creates an erasure of subjects.
  ///
  /// - Parameters:
  ///   - subjects: The raw IDs of the subjects. In a store of pseudonyms, pseudonyms are accepted as well.
  ///   - key: The key of a store of pseudonyms, or `nil` for a store of raw IDs.
  ///   - includesUsers: Whether events are removed too whose user is one of the subjects.
  package init(of subjects: [String], key: PseudonymKey?, includesUsers: Bool = false) {
    self.init(of: subjects, key: key, includesUsers: includesUsers, persons: nil)
  }

  /// Creates an erasure of persons: of the subjects with their texts, and of all subjects with an event that names one of them
  /// as its user. Events that name one of these subjects as their user are removed too.
  ///
  /// The whole log is read, not the index, because derived data is not trusted for this.
  ///
  /// - Parameters:
  ///   - persons: The raw IDs of the persons, or their pseudonyms.
  ///   - subjects: The raw IDs of further subjects of the persons, which may occur as they are.
  ///   - key: The key of a store of pseudonyms, or `nil` for a store of raw IDs.
  /// - Throws: `inputOutput` if the store is damaged; `unusableInput` if more subjects name a person than one person has.
  package init(
    ofPersons persons: [String], withSubjects subjects: [String] = [], key: PseudonymKey?, in store: StoreReader, threads: Int
  ) throws(FunnelError) {
    let stored = persons.map { Self.storedForm(of: Array($0.utf8), key) }
    var users = SubjectSet()
    for (number, person) in stored.enumerated() { users.insert(person, subject: number) }
    let known = Set(stored)
    let linked = try SubjectEvents.subjects(ofUsers: users, in: store, threads: threads)
    if linked.count > Limits.subjectsOfPersonMaxDefault {
      for (person, form) in zip(persons, stored) { try Self.refuseCrowd(person, form, in: store, threads: threads) }
    }
    let named = known.union(subjects.map { Self.storedForm(of: Array($0.utf8), key) })
    self.init(
      of: persons + subjects + linked.filter { !named.contains(Array($0.utf8)) }, key: key, includesUsers: true, persons: known)
  }

  /// Throws `unusableInput` if a person is not one: an ID that too many subjects name stands for nobody, and its erasure could not be
  /// undone.
  private static func refuseCrowd(
    _ person: String, _ stored: [UInt8], in store: StoreReader, threads: Int
  ) throws(FunnelError) {
    var users = SubjectSet()
    users.insert(stored, subject: 0)
    let count = try SubjectEvents.subjects(ofUsers: users, in: store, threads: threads).count
    guard count > Limits.subjectsOfPersonMaxDefault else { return }
    throw FunnelError(
      .unusableInput,
      "\(person.printable) is not one person, \(count) subjects name it, erase subjects by name: funnel forget SUBJECT")
  }

  /// Returns the form in which an ID is stored.
  package static func storedForm(of raw: [UInt8], _ key: PseudonymKey?) -> [UInt8] {
    guard let key, !PseudonymKey.isPseudonym(raw) else { return raw }
    return key.pseudonym(of: raw)
  }

  private init(of subjects: [String], key: PseudonymKey?, includesUsers: Bool, persons: Set<[UInt8]>?) {
    var set = SubjectSet()
    var stored: [[UInt8]] = []
    for (number, subject) in subjects.enumerated() {
      let raw = Array(subject.utf8)
      set.insert(raw, subject: number)
      let form = Self.storedForm(of: raw, key)
      set.insert(form, subject: number)
      stored.append(form)
    }
    search = MemberSearch(subjects: set, includesUsers: includesUsers)
    self.stored = stored
    self.persons = persons
  }

  /// Searches the whole store for the subjects. Writes nothing.
  ///
  /// - Parameters:
  ///   - time: The time of the erasure, for the tombstones.
  ///   - progress: A closure that is called on any thread after each member, with the total number of compressed
  ///     bytes read so far.
  /// - Throws: `inputOutput` if the store is damaged, because damaged data can't be searched.
  package func plan(
    in store: StoreReader, at time: Timestamp, threads: Int, progress: @Sendable (_ bytes: Int) -> Void = { _ in }
  ) throws(FunnelError) -> Plan {
    var plan = Plan(of: store)
    var found: Set<Int> = []
    var uses: [Int: SubjectUse] = [:]
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
        plan.mentions += inMember.mentions
        for (subject, use) in inMember.uses { uses[subject, default: SubjectUse()].add(use) }
        guard inMember.lines > 0 else { continue }
        if area == .log { plan.events += inMember.lines } else { plan.deadLetters += inMember.lines }
        found.formUnion(inMember.subjects)
        plan.members.insert(member)
      }
    }
    plan.foundCount = found.count
    plan.sharedSubjects = sharedSubjects(uses)
    let letters = DeadLetterSearch(subjects: search.subjects)
    plan.staleFiles = try StaleFiles(of: store).files { letters.subject(in: $0.span) != nil }
    plan.logFiles = plan.members.parts(in: store)
    try addTombstones(to: &plan, of: store, at: time)
    return plan
  }

  /// Commits the erasure and updates the index. The erasure is durable when this returns.
  ///
  /// - Throws: `inputOutput` or `cannotCreate` if the commit failed. The log is then unchanged, but the index may
  ///   have been removed.
  /// - Precondition: The plan is of the writer's store.
  package func apply(
    _ plan: Plan, on writer: StoreWriter, at time: Timestamp, threads: Int
  ) throws(FunnelError) -> MaintenanceOutcome {
    precondition(plan.storePath == writer.reader.path, "the plan is of another store")
    var isObsolete = plan.events > 0
    if !isObsolete { isObsolete = try IndexRemoval.hasStaleFiles(in: writer) }
    return try IndexMaintenance.around(writer, isObsolete: isObsolete, threads: threads) { () throws(FunnelError) in
      try commit(plan, to: writer, at: time)
    }
  }

  /// Removes stale files, and commits the erasure. Returns `nil` if there is nothing to commit.
  private func commit(_ plan: Plan, to writer: StoreWriter, at time: Timestamp) throws(FunnelError) -> Commit? {
    // Stale files are not part of the commit. They are removed first: if they were removed after it, an
    // interruption in between would leave them, and no later erasure would search for them.
    try StaleFiles(of: writer.reader).remove(plan.staleFiles)
    guard !plan.logFiles.isEmpty || !plan.tombstones.isEmpty else { return nil }
    var batch = CommitBatch(kind: .forget, at: time)
    batch.removed = plan.logFiles
    if !plan.tombstones.isEmpty { batch.tombstones[time.day] = plan.tombstones }
    let search = search
    let check = { (before: StoreReader, after: StoreReader) throws(FunnelError) in
      try self.requireGone(plan, before, after)
    }
    return try writer.rewrite(batch, check: check) { (rewriting) throws(FunnelError) in
      try plan.members.copy(plan.logFiles, to: rewriting) { (lines, member) throws(FunnelError) in
        try search.remainder(of: lines, of: member)
      }
    }
  }

  /// Reads back the rewritten members before the commit is made. Throws if not exactly the lines found were removed.
  private func requireGone(
    _ plan: Plan, _ before: StoreReader, _ after: StoreReader
  ) throws(FunnelError) {
    var removedCount = 0
    var remainingCount = 0
    for area in [LogFileName.Area.log, .rejected] {
      removedCount +=
        before.logFiles(of: area).reduce(0) { $0 + $1.records } - after.logFiles(of: area).reduce(0) { $0 + $1.records }
      for member in try after.members(of: area, after: before.commits.count) {
        remainingCount += try search.findings(in: after.read(member), of: member).lines
      }
    }
    guard removedCount == plan.events + plan.deadLetters, remainingCount == 0 else {
      throw FunnelError(
        .inputOutput,
        "\(before.path) was not written correctly, so nothing was forgotten; check disk and memory")
    }
  }

  /// Returns the subjects that others than the persons use too.
  private func sharedSubjects(_ uses: [Int: SubjectUse]) -> [SharedSubject] {
    guard let persons else { return [] }
    return uses.sorted { stored[$0.key].lexicographicallyPrecedes(stored[$1.key]) }.compactMap { subject, use in
      var others = use.users.subtracting(persons)
      let isPerson = others.remove(stored[subject]) != nil
      guard isPerson || !others.isEmpty else { return nil }
      return SharedSubject(
        subject: String(decoding: stored[subject], as: UTF8.self), users: SubjectEvents.sorted(others), isPerson: isPerson,
        eventCount: use.eventCount)
    }
  }

  /// Adds the missing tombstones to the plan.
  private func addTombstones(to plan: inout Plan, of store: StoreReader, at time: Timestamp) throws(FunnelError) {
    let tombstones = try Tombstones(of: store)
    plan.forgottenBeforeCount = stored.count { tombstones.contain($0) }
    plan.tombstones = tombstones.lines(for: stored, at: time)
  }
}
