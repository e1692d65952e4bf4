package import FunnelStore
package import FunnelModel
package import FunnelRendering

/// Describes the damage of a log in which some gzip members cannot be read.
package enum DamagedLog {
  /// Returns the damage of the log that a reader found, or `nil` if it found none.
  ///
  /// - Parameter commit: The last commit whose events came from the index, or `nil` if all events came from the log.
  package static func damage(of reader: StoreReader, indexedUpTo commit: Int?) -> ReportDamage? {
    guard let entries = reader.damage?.entries, !entries.isEmpty else { return nil }
    return ReportDamage(
      places: entries.map { entry in
        // Events in the index are not missing from the report.
        let isIndexed = if let commit, let written = entry.commit { written <= commit } else { false }
        return .init(path: entry.path, offset: entry.offset, events: isIndexed ? 0 : entry.events, reason: entry.reason)
      })
  }

  /// Returns the error to throw after the report of a damaged log has been printed.
  package static func error(_ damage: ReportDamage, store: String) -> FunnelError {
    let missing =
      switch damage.missingEvents {
      case nil: "an unknown number of unreadable events is missing from the report"
      case 0?: "but no event is missing from the report"
      case 1?: "1 unreadable event is missing from the report"
      case let count?: "\(Quantity.count(count)) unreadable events are missing from the report"
      }
    return FunnelError(
      .inputOutput,
      "the log is damaged, \(store.printable), \(missing), see 'funnel log verify', then 'funnel log repair'")
  }
}
