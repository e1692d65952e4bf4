import FunnelModel
import FunnelProjections

/// Writes one named report as CSV (RFC 4180): a header, then a row per step or permission.
///
/// Lines end with LF alone, as the tools of the command line expect; numbers are as precise as in JSON. An absent value is an empty
/// cell, an empty text is `""`. Columns are named as in JSON, nested ones joined by `_`, one for each dimension of the query's `by`.
struct CSVRenderer {
  private var output = ""
  private let query: ReportQuery
  /// Dimensions by their place in a row's segment; one asked for twice has one column.
  private let dimensions: [(place: Int, name: String)]

  /// - Throws: ``FunnelError`` (`usage`) where the report holds several named reports.
  static func render(_ report: Report) throws(FunnelError) -> String {
    var renderer = CSVRenderer(query: report.query)
    switch (report.funnel, report.grants, report.dropoff) {
    case (let rows?, nil, nil): renderer.print(rows)
    case (nil, let rows?, nil): renderer.print(rows)
    case (nil, nil, let rows?): renderer.print(rows)
    default:
      throw FunnelError(
        .usage, "CSV holds one report, and several were asked for, name one: funnel report funnel --format csv")
    }
    return renderer.output
  }

  private init(query: ReportQuery) {
    self.query = query
    let names = query.by.map(\.description)
    dimensions = names.enumerated().filter { names.firstIndex(of: $1) == $0 }.map { (place: $0, name: $1) }
  }

  private mutating func print(_ cells: [CSVText]) {
    output += cells.map(\.text).joined(separator: ",") + "\n"
  }
}

extension CSVRenderer {
  private mutating func print(_ rows: [FunnelRow]) {
    print(
      ["app", "flow", "version", "window_ms"] + segmentNames + ["entered", "completed"] + rateNames("conversion")
        + ["id", "label", "optional", "reached", "from_previous", "from_start", "dropped", "in_progress"]
        + quantileNames("time_from_previous_ms"))
    for row in rows {
      let flow =
        flowCells(row.key) + [cell(Int(row.windowMilliseconds))] + segmentCells(row.key)
        + [cell(row.entered), cell(row.completed)] + cells(row.conversion)
      for step in row.steps {
        print(
          flow + [
            "\(step.id)", "\(step.label)", step.isOptional ? "true" : "false", cell(step.reached), cell(step.fromPrevious),
            cell(step.fromStart), cell(step.dropped), cell(step.inProgress),
          ] + cells(step.timeFromPrevious))
      }
    }
  }

  private mutating func print(_ rows: [GrantRow]) {
    print(
      ["app", "flow", "version", "permission"] + segmentNames
        + ["prompted", "granted", "limited", "denied", "skipped", "unanswered", "in_progress", "recovered", "unprimed"]
        + rateNames("grant_rate") + rateNames("access_rate") + rateNames("dialog_grant_rate") + quantileNames("decision_ms")
        + ["note"])
    for row in rows {
      let counts: [Int?] = [
        row.prompted, row.granted, row.limited, row.denied, row.skipped, row.unanswered, row.inProgress, row.recovered,
        row.unprimed,
      ]
      print(
        flowCells(row.key) + ["\(row.permission)"] + segmentCells(row.key) + counts.map(cell) + cells(row.grantRate)
          + cells(row.accessRate) + cells(row.dialogGrantRate) + cells(row.decisionTime) + [row.note.map { "\($0)" } ?? .absent]
      )
    }
  }

  private mutating func print(_ rows: [DropoffRow]) {
    print(
      ["app", "flow", "version"] + segmentNames
        + [
          "entered", "id", "label", "dropped", "share_of_entered", "share_of_reached", "exits_skipped", "exits_denied",
          "exits_failed", "exits_back", "exits_left",
        ] + quantileNames("dwell_ms"))
    for row in rows {
      for step in row.steps {
        let texts: [CSVText] = [cell(row.entered), "\(step.id)", "\(step.label)", cell(step.dropped)]
        let shares = [cell(step.shareOfEntered), cell(step.shareOfReached)]
        let exits = ExitKind.allCases.map { cell(step.count(of: $0)) }
        print(flowCells(row.key) + segmentCells(row.key) + texts + shares + exits + cells(step.dwell))
      }
    }
  }
}

extension CSVRenderer {
  private var segmentNames: [CSVText] { dimensions.map { "\($0.name)" } }

  private func rateNames(_ name: CSVText) -> [CSVText] { [name, "\(name)_ci95_low", "\(name)_ci95_high"] }

  private func quantileNames(_ name: CSVText) -> [CSVText] { ["\(name)_p50", "\(name)_p90", "\(name)_p99"] }

  private func flowCells(_ key: RowKey) -> [CSVText] { ["\(key.app)", "\(key.flow)", cell(key.version)] }

  private func segmentCells(_ key: RowKey) -> [CSVText] {
    dimensions.map { $0.place < key.segment.count ? cell(key.segment[$0.place]) : .absent }
  }

  private func cell(_ value: PropertyValue) -> CSVText {
    switch value {
    case .string(let text): "\(text)"
    case .integer(let number): CSVText(number: number)
    case .double(let number): CSVText(number: number)
    case .bool(let flag): flag ? "true" : "false"
    case .null: .absent
    }
  }

  private func cell(_ count: Int?) -> CSVText { count.map { CSVText(number: Int64($0)) } ?? .absent }

  private func cell(_ share: Double?) -> CSVText { share.map { CSVText(number: $0) } ?? .absent }

  private func cells(_ rate: Rate?) -> [CSVText] { [cell(rate?.value), cell(rate?.low), cell(rate?.high)] }

  private func cells(_ quantiles: Quantiles?) -> [CSVText] {
    [quantiles?.p50, quantiles?.p90, quantiles?.p99].map { $0.map { CSVText(number: $0) } ?? .absent }
  }
}
