import FunnelKit
import FunnelMaintenance
import FunnelModel
import FunnelReports
import FunnelSchemas
import FunnelStore
import FunnelSystem

/// The plan of a nightly run, which `--dry-run` prints.
package struct NightlyRunPlan {
  let settings: NightlyRunSettings

  package init(_ settings: NightlyRunSettings) { self.settings = settings }

  /// The plan as text, with one line for each stage.
  ///
  /// - Throws: An error that would prevent the run, for example an invalid file of alert rules.
  package var text: String {
    get throws(FunnelError) {
      try settings.inbox.requireApart(store: settings.storePath, out: settings.out)
      let store = try StoreReader.openIfThere(settings.storePath)
      let catalog = try settings.ingest.definitions.catalog(store: store?.path)
      let contents = try settings.inbox.contents(settings.completeness)
      var lines: [(NightlyRunStage, String)] = [(.ingest, ingest(contents))]
      let days = settings.days
      lines.append(
        (.report, "write the reports up to \(days.last) to \(settings.out.printable)/\(days.last) and latest"))
      lines.append((.page, "write their pages, and \(settings.out.printable)/index.html"))
      if let alerts = settings.alerts {
        let rules = try AlertFile.read(alerts)
        _ = try AlertCheck(rules, catalog: catalog)
        lines.append((.alerts, "check \(Quantity.counted(rules.rules.count, "rule")) from \(alerts.printable)"))
      }
      if let database = settings.database {
        let range = days.days(settings.databaseDays)
        lines.append((.database, "write \(range.lowerBound) to \(range.upperBound) to \(database.printable)"))
      }
      if let states = settings.states {
        lines.append((.states, "save the states of closed days to \(states.printable)"))
      }
      lines.append((.compact, try compaction(of: store)))
      if settings.retains { lines.append((.retention, try retention(of: store, catalog))) }
      if let metrics = settings.metrics { lines.append((.metrics, "write \(metrics.printable)")) }
      if let notify = settings.notify {
        lines.append((.notify, "run \(notify.printable), if there is something to report"))
      }
      let width = NightlyRunStage.allCases.map(\.rawValue.count).max() ?? 0
      let texts = lines.map { stage, text in
        "  \(stage.rawValue)\(String(repeating: " ", count: width - stage.rawValue.count))  \(text)\n"
      }
      return "nightly \(days.now) would:\n\(texts.joined())nothing was changed (--dry-run)\n"
    }
  }

  /// Returns the line of the stage `ingest`.
  private func ingest(_ contents: NightlyInbox.Contents) -> String {
    let bytes = contents.arrivals.reduce(0) { $0 + $1.status.size }
    var text = "ingest \(Quantity.counted(contents.arrivals.count, "file")), \(Quantity.bytes(bytes))"
    if !contents.unreadable.isEmpty { text += ", \(Quantity.count(contents.unreadable.count)) can't be read" }
    if let left = contents.left.line { text += ", \(left)" }
    return text
  }

  /// Returns the line of the stage `compact`. The store is `nil` if it does not exist yet.
  private func compaction(of store: StoreReader?) throws(FunnelError) -> String {
    guard let store else { return "nothing, as the store \(settings.storePath.printable) does not exist yet" }
    let days = try LogCompaction(threads: settings.threads, now: settings.days.now).preview(of: store).days.count
    return "compact \(Quantity.counted(days, "day")) of the log, and the days of the events ingested in this run"
  }

  /// Returns the line of the stage `retention`. The store is `nil` if it does not exist yet.
  private func retention(of store: StoreReader?, _ catalog: FlowCatalog) throws(FunnelError) -> String {
    let retention = try NightlyRetention(catalog: catalog, now: settings.days.now, threads: settings.threads)
    guard let store else { return "nothing, as the store does not exist yet" }
    return try retention.preview(of: store)
  }
}
