import FunnelKit
import FunnelModel
import FunnelReports

/// The marked days of a served trend: the first day of each app version, and the annotations of the store.
///
/// A page that is a file has none, because a page of merged states, which have no events, must be the same.
enum TrendMarks {
  /// The key with the version of an app.
  private static let versionKey = "ctx.app_version"

  /// Adds the marked days to a report that has a trend.
  ///
  /// Errors are ignored: a page without marks is better than no page.
  static func add(to report: inout Report, selection: ReportSelection, by reader: ReportReader<some OperationMonitor>) {
    guard selection.names == [TrendReport.name] else { return }
    do throws(FunnelError) {
      if let annotations = try reader.annotations() { report.add(annotations) }
    } catch {
      report.addUnreadableAnnotations()
    }
    // The first day of a version may be before the period.
    var query = report.query
    query.since = nil
    query.until = nil
    query.isMature = false
    query.every = .day
    query.by = Dimension(versionKey).map { [$0] } ?? []
    query.needs = EventNeeds()
    guard let trend = try? reader.response(to: query, selection) else { return }
    report.addFirstDays(from: trend.report)
  }
}
