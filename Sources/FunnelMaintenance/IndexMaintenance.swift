import FunnelIndex
import FunnelModel
package import FunnelStore

/// Keeps the index consistent with a log that is rewritten.
package enum IndexMaintenance {
  /// Makes a commit that removes data, and updates the index.
  ///
  /// - Parameters:
  ///   - isObsolete: Whether the index must be removed before the commit, because the commit removes events or
  ///     files of an old index remain. The index can be rebuilt from the log, but must not contain events that were
  ///     removed.
  ///   - commit: A closure that makes the commit, or returns `nil` if there is nothing to commit.
  /// - Throws: `inputOutput` or `cannotCreate` if the index can't be removed; the errors of `commit`. Nothing was
  ///   committed then.
  static func around(
    _ writer: StoreWriter, isObsolete: Bool, threads: Int, commit: () throws(FunnelError) -> Commit?
  ) throws(FunnelError) -> MaintenanceOutcome {
    if isObsolete { try IndexRemoval.run(in: writer) }
    let made = try commit()
    let problem = isObsolete || made != nil ? renew(of: writer, threads: threads) : nil
    return MaintenanceOutcome(commit: made, indexProblem: problem)
  }

  /// Updates the index. A failure is not an error, because reports can read the log instead.
  ///
  /// - Returns: The reason why the index was not written, or `nil` if it was written.
  package static func renew(of writer: StoreWriter, threads: Int) -> String? {
    let index = IndexedEvents(into: writer, threads: threads)
    index.finish()
    return index.problem
  }
}

/// The result of a command that removes data from a store.
package struct MaintenanceOutcome: Sendable {
  /// The commit, or `nil` if there was nothing to commit.
  package let commit: Commit?
  /// The reason why the index was not updated, or `nil` if it was updated or is unaffected.
  package let indexProblem: String?
}
