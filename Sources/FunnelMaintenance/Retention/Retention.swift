package import FunnelDecoding
package import FunnelStore
package import FunnelModel
import FunnelSystem

/// A retention: drops events, dead letters and snapshots that are older than their retention period.
///
/// Finding and committing are two steps. In between, the caller computes snapshots of the events that will be dropped.
///
///     let retention = Retention(cut, catalog: catalog)
///     let plan = try retention.plan(in: writer.reader, threads: 2)
///     let snapshots = try retention.snapshots(of: plan, in: writer.reader, at: now, threads: 2)
///     let outcome = try retention.apply(plan, snapshots: snapshots, on: writer, at: now, threads: 2)
///
/// Log files that are dropped as a whole are not read. In the others, the members that lose some of their records
/// are rewritten. The index is removed before the commit, so that it never outlives the events, even after a crash.
package struct Retention: Sendable {
  /// The data of a store that will be dropped.
  package struct Plan: Sendable {
    /// The path of the store that was searched.
    let storePath: String
    /// The number of events to be dropped.
    package internal(set) var events = 0
    /// The number of dead letters to be dropped.
    package internal(set) var deadLetters = 0
    /// The number of snapshot lines to be dropped.
    package internal(set) var snapshots = 0
    /// The days on which events will be dropped.
    package internal(set) var days: [CivilDate] = []
    /// The log files that will be dropped or rewritten.
    package internal(set) var logFiles: [LogFileName] = []
    /// The log files that keep some of their records.
    var rewrittenLogFiles: [LogFileName] = []
    /// The members of those log files that lose records.
    var members = AffectedMembers()
    /// The flow versions of the dropped events, on days on which some events stay.
    var droppedFlows: [CivilDate: Set<Int>] = [:]
    /// The flow versions of the remaining events, on days on which some events are dropped.
    var remainingFlows: [CivilDate: Set<Int>] = [:]

    init(of store: StoreReader) { storePath = store.path }

    /// Whether there is nothing to do.
    package var isEmpty: Bool { logFiles.isEmpty }

    /// Returns the indices in the catalog of the flow versions that lose all their events of a day, or `nil` if all
    /// events of the day are dropped.
    package func flowsDroppedEntirely(on day: CivilDate) -> Set<Int>? {
      droppedFlows[day].map { $0.subtracting(remainingFlows[day] ?? []) }
    }

    /// Returns the indices in the catalog of the flow versions that lose some of their events of a day and keep others.
    package func flowsDroppedPartly(on day: CivilDate) -> Set<Int> {
      (droppedFlows[day] ?? []).intersection(remainingFlows[day] ?? [])
    }
  }

  let cut: RetentionCut
  let catalog: FlowCatalog

  /// Creates a retention.
  ///
  /// - Parameters:
  ///   - cut: The days before which data is dropped.
  ///   - catalog: The flow definitions, which determine the flow versions of an event.
  package init(_ cut: RetentionCut, catalog: FlowCatalog) {
    self.cut = cut
    self.catalog = catalog
  }

  /// Finds the data to drop. Writes nothing.
  ///
  /// Events and dead letters are read only on days on which some are dropped and others stay.
  ///
  /// - Throws: `inputOutput` if a member that is read is damaged.
  package func plan(in store: StoreReader, threads: Int) throws(FunnelError) -> Plan {
    var plan = Plan(of: store)
    func drop(_ area: LogFileName.Area, _ count: WritableKeyPath<Plan, Int>, where goes: (CivilDate) -> Bool) {
      for logFile in store.logFiles(of: area) where goes(logFile.name.day) {
        plan[keyPath: count] += logFile.records
        plan.logFiles.append(logFile.name)
        if area == .log, plan.days.last != logFile.name.day { plan.days.append(logFile.name.day) }
      }
    }
    drop(.log, \.events, where: cut.removesAllEvents)
    try addEvents(to: &plan, of: store, threads: threads)
    drop(.rejected, \.deadLetters) { day in cut.deadLetters.contains { $0.removesAll(of: day) } }
    try addDeadLetters(to: &plan, of: store, threads: threads)
    if let first = cut.snapshots { drop(.snapshots, \.snapshots) { $0 < first } }
    // A log file is either dropped or rewritten, depending on its day, so none is added twice.
    plan.rewrittenLogFiles = plan.members.parts(in: store)
    plan.logFiles += plan.rewrittenLogFiles
    return plan
  }

  /// Commits the retention and updates the index. The retention is durable when this returns.
  ///
  /// - Parameter snapshots: The snapshots of the plan, by day.
  /// - Throws: `inputOutput` or `cannotCreate` if the commit failed. The log is then unchanged, but the index may
  ///   have been removed.
  /// - Precondition: The plan is of the writer's store.
  package func apply(
    _ plan: Plan, snapshots: [CivilDate: RecordBatch], on writer: StoreWriter, at time: Timestamp, threads: Int
  ) throws(FunnelError) -> MaintenanceOutcome {
    precondition(plan.storePath == writer.reader.path, "the plan is of another store")
    return try IndexMaintenance.around(writer, isObsolete: plan.events > 0, threads: threads) { () throws(FunnelError) in
      try commit(plan, snapshots: snapshots, to: writer, at: time)
    }
  }

  /// Drops or rewrites log files, and adds snapshots, in one commit. Returns `nil` if there is nothing to drop.
  private func commit(
    _ plan: Plan, snapshots: [CivilDate: RecordBatch], to writer: StoreWriter, at time: Timestamp
  ) throws(FunnelError) -> Commit? {
    guard !plan.isEmpty else { return nil }
    var batch = CommitBatch(kind: .retain, at: time)
    batch.removed = plan.logFiles
    batch.snapshots = snapshots
    let cut = cut
    let catalog = catalog
    let check = { (before: StoreReader, after: StoreReader) throws(FunnelError) in
      guard before.eventCount - after.eventCount == plan.events,
        before.deadLetterCount - after.deadLetterCount == plan.deadLetters
      else {
        throw FunnelError(
          .inputOutput,
          "\(before.path) was not written correctly, so nothing was dropped; check disk and memory")
      }
    }
    return try writer.rewrite(batch, check: check) { (rewriting) throws(FunnelError) in
      try plan.members.copy(plan.rewrittenLogFiles, to: rewriting) { (lines, member) throws(FunnelError) in
        if member.logFile.area == .rejected {
          return try ExpiredDeadLetterFilter(cut.deadLetters).filter(lines, of: member).remaining
        }
        var filter = ExpiredEventFilter(cut, catalog: catalog)
        return try filter.filter(lines, of: member).remaining
      }
    }
  }

  /// Adds the events of days on which some are dropped and others stay to the plan.
  private func addEvents(to plan: inout Plan, of store: StoreReader, threads: Int) throws(FunnelError) {
    let cut = cut
    let catalog = catalog
    let members = try store.members().filter { member in
      cut.mayRemoveEvents(of: member.logFile.day) && !cut.removesAllEvents(of: member.logFile.day)
    }
    let outcomes = try Parallel.map(count: members.count, threads: threads) { (index) throws(FunnelError) in
      let member = members[index]
      var filter = ExpiredEventFilter(cut, catalog: catalog)
      var outcome = try filter.filter(store.read(member), of: member)
      outcome.remaining = RecordBatch()
      return outcome
    }
    for (member, outcome) in zip(members, outcomes) {
      let day = member.logFile.day
      plan.remainingFlows[day, default: []].formUnion(outcome.flowsOfRemaining)
      guard outcome.removedCount > 0 else { continue }
      plan.droppedFlows[day, default: []].formUnion(outcome.flowsOfRemoved)
      plan.events += outcome.removedCount
      plan.members.insert(member)
      if plan.days.last != day { plan.days.append(day) }
    }
  }

  /// Adds the dead letters of days on which some are dropped and others stay to the plan.
  private func addDeadLetters(to plan: inout Plan, of store: StoreReader, threads: Int) throws(FunnelError) {
    let cut = cut
    let members = try store.members(of: .rejected).filter { member in
      let day = member.logFile.day
      return cut.deadLetters.contains { $0.mayRemoveSome(of: day) } && !cut.deadLetters.contains { $0.removesAll(of: day) }
    }
    let counts = try Parallel.map(count: members.count, threads: threads) { (index) throws(FunnelError) in
      let member = members[index]
      return try ExpiredDeadLetterFilter(cut.deadLetters).filter(store.read(member), of: member).removedCount
    }
    for (member, count) in zip(members, counts) where count > 0 {
      plan.deadLetters += count
      plan.members.insert(member)
    }
  }
}
