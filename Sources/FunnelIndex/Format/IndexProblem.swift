internal import FunnelModel

/// The reason why a store's index can't be used. Readers then use the log, which has all events.
package enum IndexProblem: Error, Equatable {
  /// There is no index, or the store is read as of an earlier moment, which an index can't show.
  case absent
  /// The index does not cover the log: events were removed from the log since, or added by another program.
  case outdated
  /// A file is missing, unreadable, of another version, or differs from the manifest.
  case damaged
}

extension FunnelError {
  /// The error for a damaged byte of an index that is open. The log contains all of its events.
  static let damagedIndex = FunnelError(
    .inputOutput, "the store's index is damaged, remove its folder index and run the command again")
}
