import FunnelModel
import FunnelProjections

/// Writes a report in GitHub Flavored Markdown: a heading for each flow, and a table for each report.
struct MarkdownRenderer {
  private var output = ""
  private let query: ReportQuery

  static func render(_ report: Report) -> String {
    var renderer = MarkdownRenderer(query: report.query)
    let sections = FlowSection.sections(of: report)
    if let damage = report.damage { renderer.print(damage) }
    renderer.print(renderer.question)
    if sections.isEmpty { renderer.print("\nNothing matched: no flow has a group that entered it.") }
    for section in sections { renderer.print(section) }
    return renderer.output
  }

  private init(query: ReportQuery) {
    self.query = query
  }

  mutating func print(_ line: MarkdownText) {
    output += line.text + "\n"
  }

  private mutating func print(_ damage: ReportDamage) {
    print("> **\(damage.headline)**")
    print(">")
    for line in damage.lines { print("> - \(line)") }
    print("")
  }

  private var question: MarkdownText {
    var line: MarkdownText = "As of \(query.now.minuteText) UTC"
    if query.isMature { line = line + ", closed groups only" }
    if let since = query.since { line = line + ", since \(since.minuteText)" }
    if let until = query.until { line = line + ", until \(until.minuteText)" }
    if query.order != .ordered { line = line + ", order \(query.order.rawValue)" }
    if let countBy = query.countBy { line = line + ", counted by \(countBy.rawValue)" }
    for (index, dimension) in query.by.enumerated() {
      line = line + (index == 0 ? ", by " : " and ") + "\(dimension.description)"
    }
    for condition in query.conditions { line = line + ", where \(condition.description)" }
    return line + "."
  }

  private mutating func print(_ section: FlowSection) {
    let name: MarkdownText = "\(section.app)/\(section.flow) v\(String(section.version))"
    let heading = section.title.map { "\($0): \(name)" as MarkdownText } ?? name
    print("\n### \(heading)")
    if !section.funnel.isEmpty { printFunnel(section.funnel) }
    if !section.grants.isEmpty { printGrants(section.grants) }
    if !section.dropoff.isEmpty { printDropoff(section.dropoff) }
  }

  /// Prints a table after a blank line. The first columns hold text, the others numbers.
  private mutating func printTable(_ titles: [MarkdownText], textColumns: Int, rows: [[MarkdownText]]) {
    print("")
    print(line(of: titles))
    print(line(of: titles.indices.map { $0 < textColumns ? ":--" : "--:" }))
    for row in rows { print(line(of: row)) }
  }

  private func line(of cells: [MarkdownText]) -> MarkdownText {
    cells.reduce("|") { $0 + " " + $1 + " |" }
  }
}

extension MarkdownRenderer {
  private mutating func printFunnel(_ rows: [FunnelRow]) {
    let isClosedShown = rows.contains(where: \.hasManyUnderWay)
    printTable(
      dimensionTitles + ["Window", "Entered", "Completed", "Conversion", "95 % interval"]
        + (isClosedShown ? ["Closed", "95 % interval"] : []) + ["Dropped", "Under way"],
      textColumns: query.by.count,
      rows: rows.map { row in
        segmentCells(row.key) + [
          "\(TimeSpan(milliseconds: row.windowMilliseconds).description)", count(row.entered), count(row.completed),
          share(row.conversion), interval(row.conversion),
        ] + (isClosedShown ? closedCells(row.closed.conversion, of: row.closed.entered) : []) + [
          count(row.dropped), count(row.inProgress),
        ]
      })
    if isClosedShown { printClosedNote() }
    printTable(
      dimensionTitles + [
        "Step", "Reached", "Of start", "Of previous", "Dropped", "Under way", "Median time", "p90", "p99",
      ],
      textColumns: query.by.count + 1,
      rows: rows.flatMap { row in
        zip(row.steps, row.previousReached).enumerated().map { index, pair in
          segmentCells(row.key) + cells(of: pair.0, isFirst: index == 0, previous: pair.1, entered: row.entered)
        }
      })
    let hasFew =
      rows.contains { row in row.entered < fewGroupsMax || row.previousReached.contains { $0 < fewGroupsMax } }
      || isClosedShown && rows.contains { isFew($0.closed.conversion) }
    if hasFew { printFewNote() }
  }

  private func cells(of step: FunnelStepRow, isFirst: Bool, previous: Int, entered: Int) -> [MarkdownText] {
    [
      step.isOptional ? "\(step.label) _(optional)_" : "\(step.label)", count(step.reached), share(step.fromStart, of: entered),
      isFirst ? "" : share(step.fromPrevious, of: previous), step.isOptional ? "" : count(step.dropped),
      step.isOptional ? "" : count(step.inProgress),
    ] + (isFirst ? ["", "", ""] : durations(step.timeFromPrevious))
  }

  private mutating func printGrants(_ rows: [GrantRow]) {
    var notes: [String] = []
    for row in rows {
      if let note = row.note, !notes.contains(note) { notes.append(note) }
    }
    func name(_ row: GrantRow) -> MarkdownText {
      guard let note = row.note, let index = notes.firstIndex(of: note) else { return "\(row.permission)" }
      return "\(row.permission) ⁽\(String(index + 1))⁾"
    }
    let isClosedShown = rows.contains(where: \.hasManyUnderWay)
    printTable(
      dimensionTitles + [
        "Permission", "Prompted", "Granted", "Limited", "Denied", "Skipped", "Unanswered", "Under way", "Recovered", "Unprimed",
        "Grant rate", "95 % interval",
      ] + (isClosedShown ? ["Closed", "95 % interval"] : []) + [
        "Access rate", "95 % interval", "In dialog", "Median decision", "p90", "p99",
      ],
      textColumns: query.by.count + 1,
      rows: rows.map { row in
        let counts: [Int?] = [
          row.prompted, row.granted, row.limited, row.denied, row.skipped, row.unanswered, row.inProgress, row.recovered,
          row.unprimed,
        ]
        let closed = isClosedShown ? closedCells(row.closed.grantRate, of: row.closed.prompted) : []
        let rates = [share(row.accessRate), interval(row.accessRate), share(row.dialogGrantRate)]
        return segmentCells(row.key) + [name(row)] + counts.map(count) + [share(row.grantRate), interval(row.grantRate)]
          + closed
          + rates + durations(row.decisionTime)
      })
    if isClosedShown { printClosedNote() }
    for (index, note) in notes.enumerated() { print("\n⁽\(String(index + 1))⁾ granted means: \(note)") }
    let rates = rows.flatMap { [$0.grantRate, $0.accessRate, $0.dialogGrantRate, isClosedShown ? $0.closed.grantRate : nil] }
    if rates.contains(where: isFew) { printFewNote() }
  }

  private mutating func printDropoff(_ rows: [DropoffRow]) {
    printTable(
      dimensionTitles + ["Dropped at", "How they left", "Dropped", "Of reached", "Of start", "Median stay", "p90", "p99"],
      textColumns: query.by.count + 2,
      rows: rows.flatMap { row in
        row.steps.flatMap { step in
          let stepCells = [
            "\(step.label)", exits(of: step), count(step.dropped), share(step.shareOfReached, of: step.reached),
            share(step.shareOfEntered, of: row.entered),
          ]
          return ([stepCells + durations(step.dwell)] + lastStepCells(of: step)).map { segmentCells(row.key) + $0 }
        }
      })
    let hasFew = rows.contains { row in
      row.entered < fewGroupsMax
        || row.steps.contains { step in
          (step.reached ?? fewGroupsMax) < fewGroupsMax || (step.dropped < fewGroupsMax && !step.lastElsewhere.isEmpty)
        }
    }
    if hasFew { printFewNote() }
  }

  private mutating func printFewNote() {
    print("\n\\* a share of fewer than 30 groups: read with care")
  }
}

extension MarkdownRenderer {
  private var dimensionTitles: [MarkdownText] { query.by.map { "\($0.description)" } }

  private func segmentCells(_ key: RowKey) -> [MarkdownText] {
    query.by.indices.map { index in
      guard index < key.segment.count, key.segment[index] != .null else { return "_(none)_" }
      return "\(key.segment[index].segmentLabel)"
    }
  }

  func count(_ value: Int?) -> MarkdownText { value.map { "\(HumanNumbers.count($0))" } ?? "–" }

  func share(_ rate: Rate?) -> MarkdownText { share(rate?.value, of: rate?.denominator) }

  func share(_ share: Double?, of groups: Int?) -> MarkdownText {
    guard let share, share.isFinite else { return "–" }
    return "\(HumanNumbers.percent(share))" + ((groups ?? fewGroupsMax) < fewGroupsMax ? "\\*" : "")
  }

  func interval(_ rate: Rate?) -> MarkdownText {
    guard let rate else { return "–" }
    let (low, high) = HumanNumbers.interval(rate)
    return "\(low)–\(high) %"
  }

  private func durations(_ quantiles: Quantiles?) -> [MarkdownText] {
    guard let quantiles else { return ["–", "–", "–"] }
    return [quantiles.p50, quantiles.p90, quantiles.p99].map { "\(HumanNumbers.duration(milliseconds: $0))" }
  }

  private func exits(of step: DropoffStepRow) -> MarkdownText {
    let items = step.exitsByCount.map { "\(HumanNumbers.count($0.count)) \($0.kind.word)" }
    return items.isEmpty ? "–" : "\(items.joined(separator: ", "))"
  }
}
