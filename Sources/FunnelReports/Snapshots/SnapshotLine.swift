public import FunnelModel

/// The reports of one day, kept after the day's events are removed, as a line of `snapshots/dt=<the day>/part-….ndjson.gz`.
///
///     {"v":1,"day":"2026-10-20","at":"2026-11-20T03:00:00.000Z","rows_left_out":1,"report":{"query":{…},"funnel":[…],…}}
///
/// `at` is the time of counting, and `report` is the output of `funnel report --since <day> --until <the next> --format json` at that
/// time (specification section 5). Rows of fewer than ``groupsMin`` groups are left out and counted in `rows_left_out`, because they
/// could identify people. Events of a day that arrive after it was counted get a line of their own when they are removed.
///
/// `"partial":true` precedes `report` if only some of the events of the line's flows on that day were removed, because others were
/// younger or have names with a longer retention. All of them were counted, so the line that is written when the others are removed
/// leaves out these flows.
public enum SnapshotLine {
  /// The minimum number of groups of a row that is kept.
  public static let groupsMin = 10

  /// Returns the line without its line feed, or nil if the report has no row.
  public static func text(_ report: Report, day: CivilDate, at time: Timestamp, isPartial: Bool = false) -> String? {
    var kept = report
    kept.answers = report.answers.map { $0.withoutRows(under: groupsMin) }
    guard !report.isEmpty else { return nil }
    let leftOut = rowCount(of: report) - rowCount(of: kept)
    // Line feeds and the following indentation only serve readability; JSON strings contain none.
    let json = JSONRenderer.render(kept).split(separator: "\n").map { $0.drop { $0 == " " } }.joined()
    let partial = isPartial ? "\"partial\":true," : ""
    return "{\"v\":1,\"day\":\"\(day)\",\"at\":\"\(time)\",\"rows_left_out\":\(leftOut),\(partial)\"report\":\(json)}"
  }

  /// Returns the references (`clarity/onboarding@2`) of the flow versions with a row in a partial line, or an empty set for any other
  /// line.
  public static func flowsCountedInPart(_ line: [UInt8]) -> Set<String> {
    guard let root = try? JSONDocument(parsing: line).root, root["partial"]?.bool == true, let report = root["report"] else {
      return []
    }
    var flows: Set<String> = []
    for name in ReportSelection.standard.names {
      for row in report[name]?.array ?? [] {
        guard let app = row["app"]?.string, let flow = row["flow"]?.string, let version = row["version"]?.integer else {
          continue
        }
        flows.insert("\(app)/\(flow)@\(version)")
      }
    }
    return flows
  }

  private static func rowCount(of report: Report) -> Int {
    report.answers.reduce(0) { $0 + $1.count }
  }
}
