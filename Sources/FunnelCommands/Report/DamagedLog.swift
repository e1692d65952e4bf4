import FunnelStore
import FunnelModel
import FunnelReports

/// Describes the damage of a log of which some parts can't be read.
enum DamagedLog {
  /// Returns the damage that affects a report, or nil if nothing that was read is damaged.
  ///
  /// - Parameter commit: The last commit whose events came from the index.
  static func damage(of reader: StoreReader, indexedUpTo commit: Int) -> ReportDamage? {
    guard let entries = reader.damage?.entries, !entries.isEmpty else { return nil }
    return ReportDamage(
      places: entries.map {
        .init(path: $0.path, offset: $0.offset, events: $0.commit <= commit ? 0 : $0.events, reason: $0.reason)
      })
  }

  /// Returns the error that a command ends with after printing a report of a damaged log.
  static func error(_ damage: ReportDamage, store: String) -> FunnelError {
    let missing =
      switch damage.missingEvents {
      case nil: "events that can't be read are missing from the report, nobody can say how many"
      case 0?: "but no event is missing from the report"
      case 1?: "1 event that can't be read is missing from the report"
      case let count?: "\(count) events that can't be read are missing from the report"
      }
    return FunnelError(
      .inputOutput,
      "the log is damaged, \(store.printable), \(missing), see 'funnel log verify', then 'funnel log repair'")
  }
}
