import FunnelModel
package import FunnelRendering

extension GrantsReport {
  /// A line of the tables: the answers to a permission, in one segment or as the heading of several.
  private struct Line {
    /// The segment in a column of its own. Empty if the label names it.
    var segment: [PropertyValue] = []
    let label: DocumentCell.Label
    /// The answers, or `nil` for a heading.
    let row: GrantRow?
  }

  package static func document(of rows: [GrantRow], in context: DocumentContext) -> ReportSection {
    var part = ReportSection(Self.self)
    let notes = rows.compactMap(\.note).unique { $0 }
    let isClosedShown = rows.contains(where: \.isYoung)
    let closed: [TableColumn<Line>] =
      isClosedShown
      ? TableColumn.closed(in: context.layout) { $0.row.map { ($0.closed.grantRate, $0.closed.prompted) } } : []
    let explanation =
      isClosedShown
      ? [
        .explanation(
          "Grant rates are of the answers so far: until the window closes, \(context.noun.plural) can still answer, also those counted as skipped"
        ), DocumentBlock.closedExplanation,
      ] : []
    switch context.layout {
    case .compact:
      let lines = nestedLines(of: rows, notes: notes)
      var answers = table([label("Answers")] + countColumns(of: rows), lines)
      answers.keepsOrder = true
      part.blocks =
        [.table(table([label("Permission")] + grantColumns + closed + accessColumns + timeColumns(in: .compact), lines))]
        + explanation + [.table(answers)] + settingsFacts(of: rows)
    case .long:
      let settings = rows.contains { $0.recoveredViaSettings != nil } ? [settingsColumn] : []
      let counts = [label("Permission")] + countColumns(of: rows) + settings
      let columns = counts + grantColumns + closed + accessColumns + timeColumns(in: .long)
      part.blocks = [.table(table(columns, flatLines(of: rows, notes: notes)))] + explanation
    }
    if !notes.isEmpty { part.blocks.append(.footnotes(notes.map { "granted means: \($0)" })) }
    return part
  }

  // A column would not fit beside the others, and would be empty in most flows.
  /// Returns a sentence for each permission about the groups that recovered in the system's settings.
  private static func settingsFacts(of rows: [GrantRow]) -> [DocumentBlock] {
    let facts = rows.map(\.permission).unique { $0 }.compactMap { permission -> String? in
      let own = rows.filter { $0.permission == permission }
      let inSettings = own.reduce(0) { $0 + ($1.recoveredViaSettings ?? 0) }
      let recovered = own.reduce(0) { $0 + $1.recovered }
      guard inSettings > 0 else { return nil }
      return "\(HumanNumbers.count(inSettings)) of \(HumanNumbers.count(recovered)) recovered \(permission) through Settings"
    }
    return facts.isEmpty ? [] : [.facts(facts.map { Phrase($0) })]
  }

  private static func table(_ columns: [TableColumn<Line>], _ lines: [Line]) -> DocumentTable {
    DocumentTable(columns, rows: lines.map { ($0.segment, $0) })
  }

  /// Returns a line for each row.
  private static func flatLines(of rows: [GrantRow], notes: [String]) -> [Line] {
    rows.map { Line(segment: $0.key.segment, label: label(of: $0, notes: notes), row: $0) }
  }

  /// Returns the lines of each permission, with those of its segments below a heading.
  private static func nestedLines(of rows: [GrantRow], notes: [String]) -> [Line] {
    rows.map(\.permission).unique { $0 }.flatMap { permission -> [Line] in
      let own = rows.filter { $0.permission == permission }
      let label = label(of: own[0], notes: notes)
      if own.count == 1, own[0].key.segment.isEmpty { return [Line(label: label, row: own[0])] }
      return [Line(label: label, row: nil)]
        + own.map { Line(label: .init(phrase: Phrase([.segment($0.key.segment)]), depth: 1), row: $0) }
    }
  }

  private static func label(of row: GrantRow, notes: [String]) -> DocumentCell.Label {
    DocumentCell.Label(
      phrase: Phrase(row.permission), footnote: row.note.flatMap { notes.firstIndex(of: $0) }.map { $0 + 1 })
  }
}

extension GrantsReport {
  private static func label(_ title: String) -> TableColumn<Line> { .label(title) { .label($0.label) } }

  private static var grantColumns: [TableColumn<Line>] {
    [
      TableColumn("Grant rate", priority: .regular(1), hasBar: true) { line in
        line.row.map { .bar(.init(share: $0.grantRate?.value), .rate($0.grantRate)) } ?? .empty
      },
      interval("Grant rate", priority: .regular(2), \.grantRateWithInterval),
    ]
  }

  private static var accessColumns: [TableColumn<Line>] {
    [
      rate(ColumnTitle("Access rate", stacked: ["Access", "rate"]), priority: .essential, \.accessRate),
      interval("Access rate", priority: .extra(2), \.accessRateWithInterval),
      rate(ColumnTitle("In dialog", stacked: ["In", "dialog"]), priority: .extra(1), \.dialogGrantRate),
    ]
  }

  private static func timeColumns(in layout: DocumentLayout) -> [TableColumn<Line>] {
    let columns = [
      time(ColumnTitle("Median time to decide", stacked: ["Median", "to decide"]), priority: .regular(3), \.p50, .plain),
      time(ColumnTitle("p90", alone: ["To decide,", "p90"]), priority: .extra(3), \.p90, .faint),
    ]
    return layout == .compact
      ? columns : columns + [time(ColumnTitle("p99", alone: ["To decide,", "p99"]), priority: .extra(4), \.p99, .faint)]
  }

  private static func countColumns(of rows: [GrantRow]) -> [TableColumn<Line>] {
    let provisional = rows.contains { $0.provisional > 0 } ? [provisionalColumn] : []
    return [
      people("Prompted", .prompted, \.prompted), people("Granted", .granted, \.granted), people("Limited", .limited, \.limited),
    ] + provisional + [
      people("Denied", .denied, \.denied), people("Skipped", .skipped, \.skipped),
      people(ColumnTitle("Unanswered", stacked: ["Un-", "answered"]), .unanswered, \.unanswered),
      people(ColumnTitle("In progress", stacked: ["In", "progress"]), .inProgress, \.inProgress),
      people("Recovered", .recovered, \.recovered),
      // A list of them can't be narrowed to a segment.
      count("Unprimed", \.unprimed),
    ]
  }

  /// The column of quiet notifications, which is omitted if there are none.
  private static var provisionalColumn: TableColumn<Line> {
    people(ColumnTitle("Provisional", stacked: ["Provi-", "sional"]), .provisional, \.provisional)
  }

  /// The column of recovered groups that were sent to the system's settings.
  private static var settingsColumn: TableColumn<Line> {
    count(
      ColumnTitle("In Settings", stacked: ["In", "Settings"], alone: ["Recovered", "in Settings"]), \.recoveredViaSettings)
  }

  /// Returns a column of numbers of people in a state about the permission, which served pages link to their lists.
  private static func people(
    _ title: ColumnTitle, _ state: GroupState, _ count: @escaping (GrantRow) -> Int
  ) -> TableColumn<Line> {
    TableColumn(title) { line in
      line.row.map { .people(count($0), .permission($0.permission, state.rawValue)) } ?? .empty
    }
  }

  private static func count(_ title: ColumnTitle, _ count: @escaping (GrantRow) -> Int?) -> TableColumn<Line> {
    TableColumn(title) { line in line.row.map { .count(count($0)) } ?? .empty }
  }

  private static func rate(_ title: ColumnTitle, priority: ColumnPriority, _ rate: @escaping (GrantRow) -> Rate?)
    -> TableColumn<Line>
  {
    TableColumn(title, priority: priority) { line in line.row.map { .rate(rate($0)) } ?? .empty }
  }

  private static func interval(
    _ title: String, priority: ColumnPriority, _ rate: @escaping (GrantRow) -> Rate?
  ) -> TableColumn<Line> {
    TableColumn(
      ColumnTitle("95 % interval", stacked: ["95 %", "interval"], alone: ["\(title),", "95 % interval"]), priority: priority
    ) {
      line in line.row.map { .interval(rate($0)) } ?? .empty
    }
  }

  private static func time(
    _ title: ColumnTitle, priority: ColumnPriority, _ quantile: @escaping (Quantiles) -> Int64, _ emphasis: Emphasis
  ) -> TableColumn<Line> {
    TableColumn(title, priority: priority) { line in
      line.row.map { .duration($0.decisionTime.map(quantile), emphasis) } ?? .empty
    }
  }
}

extension GrantsReport {
  /// Adds a chart with a bar for each permission, divided by answer.
  package static func addPictures(of rows: [GrantRow], in context: DocumentContext, to part: inout ReportSection) {
    let segments = rows.map(\.key.segment).unique { $0 }
    guard segments.count <= 1 else {
      part.pictures = segmentChart(of: rows, by: context.query.by)
      return
    }
    let bars = rows.filter { $0.prompted > 0 }.map { row -> BarChart.Bar in
      let answers = [
        row.granted, row.limited, row.unanswered, row.inProgress, row.skipped, row.denied,
      ].map(Double.init)
      let segment = row.key.segment.isEmpty ? Phrase("") : Phrase(" · ") + Phrase([.segment(row.key.segment)])
      let value = row.grantRate.map { rate -> Phrase in
        Phrase([.text("granted ", .plain), .rate(rate, .strong), .text(" (", .plain), .interval(rate), .text(")", .plain)])
      }
      return BarChart.Bar(
        label: .init(phrase: Phrase(row.permission) + segment), lengths: answers, whole: Double(row.prompted),
        value: value ?? Phrase([.absent]),
        people: [GroupState.granted, .limited, .unanswered, .inProgress, .skipped, .denied].map {
          .permission(row.permission, $0.rawValue)
        }, segment: row.key.segment)
    }
    guard !bars.isEmpty else { return }
    let parts: [BarChart.Part] = [
      .init(name: "granted", ink: .good), .init(name: "limited", ink: .partial), .init(name: "unanswered", ink: .neutral),
      .init(name: "in progress", ink: .open), .init(name: "skipped", ink: .detour), .init(name: "denied", ink: .refusal),
    ]
    part.pictures = [
      .chart(
        "Answers, of those who were asked",
        "One bar per permission, divided by answer, with the grant rate and its 95 % interval",
        .bars(BarChart(parts: parts, bars: bars)))
    ]
  }
}
