package import FunnelMaintenance
package import FunnelModel
package import FunnelStore

/// The result of an undo.
package struct UndoOutcome: Sendable {
  /// The commits of the ingest. Never empty.
  package let ingest: [Commit]
  /// The data that the undo removes.
  package let plan: IngestUndo.Plan
  /// The number of the commit, or `nil` if there was nothing to commit or it is a dry run.
  package let commit: Int?
  /// The number of events in the store after the undo.
  package let eventsInStore: Int
  package let storePath: String
  package let isDryRun: Bool

  fileprivate init(
    of undo: IngestUndo, _ plan: IngestUndo.Plan, commit: Int?, eventsInStore: Int, storePath: String, isDryRun: Bool
  ) {
    precondition(!undo.commits.isEmpty, "an ingest has a commit")
    ingest = undo.commits
    self.plan = plan
    self.commit = commit
    self.eventsInStore = eventsInStore
    self.storePath = storePath
    self.isDryRun = isDryRun
  }
}

/// Removes the events of an ingest from the store at a path, or returns what an undo would remove.
package struct UndoOperation: Sendable {
  package let storePath: String
  /// The ingest to undo.
  package let choice: IngestUndo.Choice

  package init(storePath: String, choice: IngestUndo.Choice) {
    self.storePath = storePath
    self.choice = choice
  }

  /// Returns what an undo would remove. Neither locks nor changes the store.
  package func preview() throws(FunnelError) -> UndoOutcome {
    let reader = try StoreReader.open(storePath)
    let undo = try IngestUndo(of: choice, in: reader)
    let plan = try undo.plan(in: reader)
    return UndoOutcome(
      of: undo, plan, commit: nil, eventsInStore: reader.eventCount - plan.events, storePath: storePath, isDryRun: true)
  }

  /// Removes the events in one commit.
  package func apply(
    at now: Timestamp, threads: Int, lockTimeout: TimeSpan, monitor: some OperationMonitor
  ) throws(FunnelError) -> UndoOutcome {
    let writer = try StoreWriter.open(storePath, threads: threads, lockTimeout: lockTimeout, monitor: monitor)
    let undo = try IngestUndo(of: choice, in: writer.reader)
    let plan = try undo.plan(in: writer.reader)
    let outcome = try undo.apply(plan, on: writer, at: now, threads: threads)
    monitor.noteIndexProblem(outcome.indexProblem)
    return UndoOutcome(
      of: undo, plan, commit: outcome.commit?.number, eventsInStore: writer.reader.eventCount, storePath: storePath,
      isDryRun: false)
  }
}
