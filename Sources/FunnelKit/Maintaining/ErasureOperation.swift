import FunnelDecoding
package import FunnelMaintenance
package import FunnelModel
import FunnelStore

/// The result of an erasure.
package struct ErasureOutcome: Sendable {
  /// The number of subjects to erase.
  package let subjectCount: Int
  /// The number of persons to erase, or `nil` if the erasure is of subjects.
  package let personCount: Int?
  /// The data that the erasure removes.
  package let plan: Erasure.Plan
  /// The number of the commit, or `nil` if there was nothing to commit or it is a dry run.
  package let commit: Int?
  /// The number of events in the store after the erasure.
  package let eventsInStore: Int
  package let storePath: String
  package let isDryRun: Bool
}

/// Erases subjects or persons from the store at a path, or returns what an erasure would remove.
package struct ErasureOperation: Sendable {
  package var storePath: String
  /// The subjects, or IDs of the persons.
  package var subjects: [String]
  /// Whether ``subjects`` name persons, who are erased with all their subjects.
  package var isOfPersons: Bool
  /// The file with the key of the pseudonyms, or `nil` for the default file in the store.
  package var keyFile: String?
  package var now: Timestamp
  package var threads: Int
  package var lockTimeout: TimeSpan

  package init(
    storePath: String, subjects: [String], isOfPersons: Bool = false, keyFile: String?, now: Timestamp, threads: Int,
    lockTimeout: TimeSpan
  ) {
    precondition(threads > 0, "an erasure needs a thread")
    self.storePath = storePath
    self.subjects = subjects
    self.isOfPersons = isOfPersons
    self.keyFile = keyFile
    self.now = now
    self.threads = threads
    self.lockTimeout = lockTimeout
  }

  /// Returns what an erasure would remove. Neither locks nor changes the store.
  package func preview(monitor: some OperationMonitor) throws(FunnelError) -> ErasureOutcome {
    let store = try StoreReader.open(storePath)
    let erasure = try erasure(in: store, monitor)
    let plan = try plan(of: erasure, in: store, monitor)
    return ErasureOutcome(
      subjectCount: erasure.subjectCount, personCount: erasure.personCount, plan: plan, commit: nil,
      eventsInStore: store.eventCount - plan.events,
      storePath: storePath, isDryRun: true)
  }

  /// Erases the subjects in one commit.
  package func apply(monitor: some OperationMonitor) throws(FunnelError) -> ErasureOutcome {
    let writer = try StoreWriter.open(storePath, threads: threads, lockTimeout: lockTimeout, monitor: monitor)
    let erasure = try erasure(in: writer.reader, monitor)
    let plan = try plan(of: erasure, in: writer.reader, monitor)
    let outcome = try erasure.apply(plan, on: writer, at: now, threads: threads)
    monitor.noteIndexProblem(outcome.indexProblem)
    return ErasureOutcome(
      subjectCount: erasure.subjectCount, personCount: erasure.personCount, plan: plan, commit: outcome.commit?.number,
      eventsInStore: writer.reader.eventCount,
      storePath: storePath, isDryRun: false)
  }

  /// Returns the erasure. Notes tell which subjects were named in place of their persons.
  private func erasure(in store: StoreReader, _ monitor: some OperationMonitor) throws(FunnelError) -> Erasure {
    let key = try store.pseudonymKey(keyFile)
    guard isOfPersons else { return Erasure(of: subjects, key: key) }
    let named = try NamedPersons(subjects, key: key, in: store, threads: threads)
    for owner in named.owners.prefix(Self.notesOfOneKindMax) { monitor.note(owner.sentence) }
    let rest = named.owners.count - Self.notesOfOneKindMax
    if rest > 0 {
      monitor.note("\(Quantity.counted(rest, "more subject")) \(rest == 1 ? "belongs" : "belong") to persons who are erased")
    }
    return try Erasure(
      ofPersons: named.persons, withSubjects: named.owners.map(\.subject), key: key, in: store, threads: threads)
  }

  /// The largest number of subjects of which a note of their own tells, of each kind.
  private static let notesOfOneKindMax = 10

  /// Searches the store for the subjects. Notes tell of the events of others that the erasure takes along.
  private func plan(
    of erasure: Erasure, in store: StoreReader, _ monitor: some OperationMonitor
  ) throws(FunnelError) -> Erasure.Plan {
    let phase = monitor.begin("searching", totalBytes: store.coveredByteCount)
    defer { phase.finish() }
    let plan = try erasure.plan(in: store, at: now, threads: threads) { bytes in
      phase.update(InputProgress(events: 0, bytes: bytes, fileBytes: bytes))
    }
    for shared in plan.sharedSubjects.prefix(Self.notesOfOneKindMax) { monitor.note(shared.sentence) }
    let rest = plan.sharedSubjects.dropFirst(Self.notesOfOneKindMax)
    if !rest.isEmpty {
      let events = Quantity.counted(rest.reduce(0) { $0 + $1.eventCount }, "event")
      monitor.note(
        "others use \(Quantity.counted(rest.count, "more subject")) too: \(events) are erased too, and later events of them are rejected"
      )
    }
    return plan
  }
}

extension Erasure.SharedSubject {
  /// The largest number of users that the sentence names.
  private static let usersShownMax = 3

  /// A sentence that says whose events are erased too.
  fileprivate var sentence: String {
    let shown = users.prefix(Self.usersShownMax).map(\.printable)
    let rest = users.count - shown.count
    let others = (rest > 0 ? shown + ["\(Quantity.count(rest)) more"] : shown).listed("and")
    let who = (isPerson ? ["a person of its own"] : []) + (users.isEmpty ? [] : ["used by \(others)"])
    let events = eventCount == 1 ? "its event is" : "its \(Quantity.counted(eventCount, "event")) are"
    let advice = isPerson ? "; name it as well to erase its other subjects" : ""
    return
      "\(subject.printable) is also \(who.listed("and")): \(events) erased too, and later events of it are rejected\(advice)"
  }
}
