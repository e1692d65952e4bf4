import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelReports

/// The change from the period before that of a page, as `funnel compare --versus previous` computes it.
enum PeriodChange {
  /// Adds the change to the headlines of a report. A report without a period has none.
  ///
  /// Errors are ignored: a page without the change is better than no page.
  static func add(to report: inout Report, by reader: ReportReader<some OperationMonitor>) {
    guard report.query.since != nil, let sides = try? SideOptions.parse(["--versus", "previous"]) else { return }
    var query = report.query
    query.by = []
    query.every = nil
    query.path = nil
    query.retention = nil
    query.drivers = nil
    query.needs = EventNeeds()
    // The headline names only the conversion, whose fairness depends on the days and on no permission.
    guard let plan = try? sides.plan(for: query),
      let response = try? reader.response(to: plan.queries, reading: plan.reading, .conversionByDay),
      let comparison = try? plan.comparison(of: response)
    else { return }
    report.addChanges(from: comparison)
  }
}
