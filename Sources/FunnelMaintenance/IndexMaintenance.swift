import FunnelIndex
import FunnelModel
public import FunnelStore

/// Keeps the index in step with a log that is rewritten.
public enum IndexMaintenance {
  /// Makes a commit that removes data, and updates the index.
  ///
  /// - Parameter isObsolete: Whether the commit removes events, or files of an old index remain. If so, the index is removed before the
  ///   commit: it can be rebuilt from the log, and must not outlive the events it was built from.
  /// - Throws: `inputOutput` or `cannotCreate` if the index can't be removed, and what `commit` throws; then nothing was committed.
  static func around(
    _ writer: StoreWriter, isObsolete: Bool, threads: Int, commit: () throws(FunnelError) -> Commit?
  ) throws(FunnelError) -> MaintenanceOutcome {
    if isObsolete { try IndexRemoval.run(in: writer) }
    let made = try commit()
    let problem = isObsolete || made != nil ? renew(of: writer, threads: threads) : nil
    return MaintenanceOutcome(commit: made, indexProblem: problem)
  }

  /// Updates the index.
  ///
  /// - Returns: The reason why it was not written, or nil if it was. It is no failure, because reports can read the log instead.
  public static func renew(of writer: StoreWriter, threads: Int) -> String? {
    let index = IndexedEvents(into: writer, threads: threads)
    index.finish()
    return index.problem.map { "\($0)" }
  }
}

/// The result of a command that rewrites a store.
public struct MaintenanceOutcome: Sendable {
  /// The commit, or nil if there was nothing to commit.
  public let commit: Commit?
  /// The reason why the index was not renewed, or nil if it was.
  public let indexProblem: String?
}
