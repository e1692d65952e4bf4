import FunnelDecoding
package import FunnelModel
package import FunnelStore
import FunnelSystem

/// The undo of an ingest: removes its events and dead letters from a store in one commit, so that the input can be
/// ingested again.
///
///     let undo = try IngestUndo(of: .last, in: writer.reader)
///     let plan = try undo.plan(in: writer.reader)
///     let outcome = try undo.apply(plan, on: writer, at: now, threads: 2)
///
/// Records are found even after a compaction or an erasure, because rewritten extents record the origins of their records
/// (``RecordOrigin``). The index is removed before the commit, so that it never outlives the events, even after a crash.
package struct IngestUndo: Sendable {
  /// The selection of an ingest.
  package enum Choice: Hashable, Sendable {
    /// The last ingest that was not undone.
    case last
    /// The ingest that a commit belongs to.
    case commit(Int)
  }

  /// The data of a store that will be removed.
  package struct Plan: Sendable {
    /// The number of events that will be removed.
    package internal(set) var events = 0
    /// The number of dead letters that will be removed.
    package internal(set) var deadLetters = 0
    /// The log files that will be rewritten or removed, sorted.
    package internal(set) var logFiles: [LogFileName] = []
    /// The path of the store that was searched.
    let storePath: String
    /// The members that contain lines to be removed.
    var members = AffectedMembers()
    /// The origins of the records in these members.
    var origins: [MemberReference: [RecordOrigin]] = [:]

    init(of store: StoreReader) { storePath = store.path }
  }

  /// The commits of the ingest, in order.
  package let commits: [Commit]
  /// The numbers of these commits.
  private let numbers: Set<Int>

  /// Creates the undo of an ingest.
  ///
  /// - Throws: `noInput` if there is no such ingest, or if it was undone.
  package init(of choice: Choice, in store: StoreReader) throws(FunnelError) {
    commits = try Self.commits(of: choice, in: store)
    numbers = Set(commits.map(\.number))
  }

  /// Returns the commits of the selected ingest.
  private static func commits(of choice: Choice, in store: StoreReader) throws(FunnelError) -> [Commit] {
    let path = store.path.printable
    let present = presentCommits(in: store)
    let chosen: Commit
    switch choice {
    case .last:
      guard let last = store.commits.last(where: { $0.bringsEvents && present.contains($0.number) }) else {
        throw FunnelError(.noInput, "nothing to undo, \(path), no ingest has events or dead letters in it")
      }
      chosen = last
    case .commit(let number):
      guard number > 0, number <= store.commits.count else {
        throw FunnelError(
          .noInput, "no such commit, \(number), \(path) has commits 1 to \(store.commits.count), see 'funnel log commits'")
      }
      chosen = store.commits[number - 1]
      guard chosen.bringsEvents else {
        throw FunnelError(
          .noInput, "commit \(number) is not an ingest, \(path), it is of kind \(chosen.kind), give a commit of an ingest")
      }
      guard present.contains(number) else {
        throw FunnelError(.noInput, "nothing is left of commit \(number), \(path), it was undone or dropped before")
      }
    }
    let first = chosen.continues ?? chosen.number
    return store.commits.filter { $0.number == first || $0.continues == first }
  }

  /// Returns the numbers of the commits that have events or dead letters in the store.
  private static func presentCommits(in store: StoreReader) -> Set<Int> {
    var present: Set<Int> = []
    for area in [LogFileName.Area.log, .rejected] {
      for piece in store.logFiles(of: area).flatMap(\.extents) { present.formUnion(piece.origins.map(\.commit)) }
    }
    return present
  }

  /// Finds the records of the ingest. Only headers are read.
  ///
  /// - Throws: `inputOutput` if a header is damaged.
  package func plan(in store: StoreReader) throws(FunnelError) -> Plan {
    var plan = Plan(of: store)
    for area in [LogFileName.Area.log, .rejected] {
      for (member, origins) in try store.membersWithOrigins(of: area) {
        let records = origins.reduce(0) { $0 + (numbers.contains($1.commit) ? $1.records : 0) }
        guard records > 0 else { continue }
        if area == .log { plan.events += records } else { plan.deadLetters += records }
        plan.members.insert(member)
        plan.origins[member] = origins
      }
    }
    plan.logFiles = plan.members.parts(in: store)
    return plan
  }

  /// Commits the undo and updates the index. The undo is durable when this returns.
  ///
  /// - Throws: `inputOutput` or `cannotCreate` if the commit failed. The log is then unchanged, but the index may
  ///   have been removed.
  /// - Precondition: The plan is of the writer's store.
  package func apply(
    _ plan: Plan, on writer: StoreWriter, at time: Timestamp, threads: Int
  ) throws(FunnelError) -> MaintenanceOutcome {
    precondition(plan.storePath == writer.reader.path, "the plan is of another store")
    return try IndexMaintenance.around(writer, isObsolete: plan.events > 0, threads: threads) { () throws(FunnelError) in
      try commit(plan, to: writer, at: time)
    }
  }

  private func commit(_ plan: Plan, to writer: StoreWriter, at time: Timestamp) throws(FunnelError) -> Commit? {
    guard !plan.logFiles.isEmpty else { return nil }
    var batch = CommitBatch(kind: .undo, at: time)
    batch.removed = plan.logFiles
    let numbers = numbers
    let filter = CommitFilter(removing: numbers)
    let check = { (before: StoreReader, after: StoreReader) throws(FunnelError) in
      guard before.eventCount - after.eventCount == plan.events,
        before.deadLetterCount - after.deadLetterCount == plan.deadLetters,
        Self.presentCommits(in: after).isDisjoint(with: numbers)
      else {
        throw FunnelError(
          .inputOutput,
          "\(before.path) was not written correctly, so nothing was undone; check disk and memory")
      }
    }
    return try writer.rewrite(batch, check: check) { (rewriting) throws(FunnelError) in
      try plan.members.copy(plan.logFiles, to: rewriting) { (lines, member) throws(FunnelError) in
        try filter.remainder(of: lines, member, plan.origins[member] ?? [])
      }
    }
  }
}
