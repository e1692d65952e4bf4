public import FunnelModel
public import FunnelProjections

/// The reports of one day, to be kept when its events are not: a line of `snapshots/dt=<the day>/part-….ndjson.gz`.
///
///     {"v":1,"day":"2026-10-20","at":"2026-11-20T03:00:00.000Z","rows_left_out":1,"report":{"query":{…},"funnel":[…],…}}
///
/// `at` is when it was counted, `report` what `funnel report --since <day> --until <the next> --format json` said then (specification section 5).
/// Rows of fewer than ``groupsMin`` groups are left out, and counted: few people of one day could be told apart by them. Where events of a
/// day came after it was counted, they have a line of their own, when they go.
///
/// `"partial":true` stands in front of `report` in a line of flows of whose events of the day only some went then: others were younger, or had names that
/// stay longer. All were counted, so these flows are left out of the line of the day that is written when the others go.
public enum SnapshotLine {
  /// Least groups in a row that is kept.
  public static let groupsMin = 10

  /// The line, without its line feed; nil where the report has no row.
  public static func text(_ report: Report, day: CivilDate, at time: Timestamp, isPartial: Bool = false) -> String? {
    var kept = report
    kept.funnel = report.funnel?.filter { $0.entered >= groupsMin }
    kept.grants = report.grants?.filter { $0.prompted >= groupsMin }
    kept.dropoff = report.dropoff?.filter { $0.entered >= groupsMin }
    guard rowCount(of: report) > 0 else { return nil }
    let leftOut = rowCount(of: report) - rowCount(of: kept)
    // Line feeds and what follows them are there to be read; inside of strings there are none.
    let json = JSONRenderer.render(kept).split(separator: "\n").map { $0.drop { $0 == " " } }.joined()
    let partial = isPartial ? "\"partial\":true," : ""
    return "{\"v\":1,\"day\":\"\(day)\",\"at\":\"\(time)\",\"rows_left_out\":\(leftOut),\(partial)\"report\":\(json)}"
  }

  /// The references of the flow versions (`clarity/onboarding@2`) that have a row in a line, if only some of their events had gone; none for any other line.
  public static func flowsCountedInPart(_ line: [UInt8]) -> Set<String> {
    guard let root = try? JSONDocument(parsing: line).root, root["partial"]?.bool == true, let report = root["report"] else {
      return []
    }
    var flows: Set<String> = []
    for key in ["funnel", "grants", "dropoff"] {
      for row in report[key]?.array ?? [] {
        guard let app = row["app"]?.string, let flow = row["flow"]?.string, let version = row["version"]?.integer else {
          continue
        }
        flows.insert("\(app)/\(flow)@\(version)")
      }
    }
    return flows
  }

  private static func rowCount(of report: Report) -> Int {
    (report.funnel?.count ?? 0) + (report.grants?.count ?? 0) + (report.dropoff?.count ?? 0)
  }
}
