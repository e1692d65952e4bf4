package import FunnelModel

/// The format of a snapshot: the reports of one day, which a store keeps after the events of the day are deleted.
///
/// Each snapshot is a line of `snapshots/dt=<the day>/part-….ndjson.gz`:
///
///     {"v":1,"day":"2026-10-20","at":"2026-11-20T03:00:00.000Z","rows_left_out":1,"report":{"query":{…},"funnel":[…],…}}
///
/// `at` is the time of counting. `report` is the output of `funnel report --since <day> --until <the next> --format json`
/// at that time (specification section 5). Rows of fewer than ``groupsMin`` groups are omitted, because they could
/// identify people, and counted in `rows_left_out`. Events of a day that arrive after it was counted get a separate
/// line when they are deleted.
///
/// `"partial":true` precedes `report` if only some of the events of the line's flows on that day were deleted, because
/// others were younger or have names with a longer retention. The line counts all of these events. The line for the
/// other events, which is written when they are deleted, therefore omits these flows.
package enum SnapshotLine {
  /// The minimum number of groups in a row of a snapshot.
  package static let groupsMin = 10

  /// Returns the line without its line feed, or `nil` if the report has no rows.
  package static func text(_ report: Report, day: CivilDate, at time: Timestamp, isPartial: Bool = false) -> String? {
    var kept = report
    kept.answers = report.answers.map { $0.withoutRows(under: groupsMin) }
    guard !report.isEmpty else { return nil }
    let leftOut = rowCount(of: report) - rowCount(of: kept)
    // Line feeds and indentation are removed. JSON strings contain no line feeds.
    let json = JSONRenderer.render(kept).split(separator: "\n").map { $0.drop { $0 == " " } }.joined()
    let partial = isPartial ? "\"partial\":true," : ""
    return "{\"v\":1,\"day\":\"\(day)\",\"at\":\"\(time)\",\"rows_left_out\":\(leftOut),\(partial)\"report\":\(json)}"
  }

  /// Returns the references (`clarity/onboarding@2`) of the flow versions with a row in a partial line, or an
  /// empty set for any other line.
  package static func flowsCountedInPart(_ line: [UInt8]) -> Set<String> {
    guard let contents = Contents(parsing: line), contents.isPartial else { return [] }
    return ReportSelection.standard.names.reduce(into: []) { flows, name in
      for row in contents.rows(of: name) { flows.insert(row.flow.description) }
    }
  }

  /// The parsed contents of a line.
  struct Contents {
    /// A row of a report, with its flow version.
    struct Row {
      let flow: FlowReference
      let json: JSONDocument.Node
    }

    /// The day, or `nil` if the line has none that is valid.
    let day: CivilDate?
    let isPartial: Bool
    private let report: JSONDocument.Node

    /// Parses a line. Returns `nil` if it is not JSON or has no report.
    init?(parsing line: [UInt8]) {
      guard let root = try? JSONDocument(parsing: line).root, let report = root["report"] else { return nil }
      day = root["day"]?.string.flatMap { CivilDate($0) }
      isPartial = root["partial"]?.bool == true
      self.report = report
    }

    /// Returns the rows of a named report that have a flow version.
    func rows(of name: String) -> [Row] {
      (report[name]?.array ?? []).compactMap { row in
        guard let app = row["app"]?.string, let flow = row["flow"]?.string, let version = row["version"]?.integer else {
          return nil
        }
        return Row(flow: FlowReference(app: app, flow: flow, version: Int(version)), json: row)
      }
    }
  }

  private static func rowCount(of report: Report) -> Int {
    report.answers.reduce(0) { $0 + $1.count }
  }
}
