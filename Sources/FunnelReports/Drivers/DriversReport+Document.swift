import FunnelModel
import FunnelProjections
package import FunnelRendering

extension DriversReport {
  package static func document(of rows: [DriversRow], in context: DocumentContext) -> ReportSection {
    var part = ReportSection(Self.self)
    for row in rows {
      part.blocks += row.segmentHeading + [.facts(facts(of: row, context.noun))]
      // On a page, the sentence is above the chart.
      if !context.hasPictures { part.blocks.append(.statement(statement(of: row, context.noun))) }
      if let otherWay = otherWay(of: row, in: context) { part.blocks.append(.statement(otherWay)) }
      if !row.drivers.isEmpty { part.blocks.append(.table(table(of: row, context))) }
    }
    if rows.contains(where: { !$0.drivers.isEmpty }) {
      part.explain(
        "Only \(context.noun.plural) whose window has closed count. Lost or gained: with the rate of all others, so many more would have "
          + "succeeded; after a +, so many fewer. A pair of conditions is listed only if it differs from each of the two alone",
        "q: of the findings with this q or a smaller one, at most this share is expected to be chance (Benjamini and Hochberg). Findings "
          + "with a q above 0.05 are not listed"
      )
    }
    return part
  }

  private static func facts(of row: DriversRow, _ noun: CountedNoun) -> [Phrase] {
    let share: String =
      switch row.search.share {
      case .conversion: "finished"
      case .reached: "reached \(row.label ?? "the step")"
      case .grantRate(let permission): "granted \(permission)"
      }
    return [
      .count(row.groups, noun.form(for: row.groups)), .rate(row.rate, share),
      .count(row.tested, row.tested == 1 ? "condition tested" : "conditions tested"),
    ]
  }

  /// Returns the conclusion of a row: its largest loss, its largest gain if it has no loss, or that there is neither.
  private static func statement(of row: DriversRow, _ noun: CountedNoun) -> String {
    let text = DriversText(row: row, noun: noun)
    guard let first = row.drivers.first(where: { $0.lost > 0 }) ?? row.drivers.first else {
      return text.nothingFound.capitalizedFirst
    }
    return "\(text.sentence(of: first)). This is a lead, not proof of a cause"
  }

  /// Returns a sentence about those of a row that count as not finished but reached the last step in another way, or `nil` if they
  /// are few, or the share is not the conversion.
  private static func otherWay(of row: DriversRow, in context: DocumentContext) -> String? {
    // Beside other reports, the funnel includes groups whose window is open.
    guard row.search.share == .conversion, let funnel = context.funnels(of: [row]).first, funnel.entered == row.groups else {
      return nil
    }
    return LeftOutText.countedAsDropped(funnel, counting: context.noun)
  }

  private static func table(of row: DriversRow, _ context: DocumentContext) -> DocumentTable {
    let largest = row.drivers.map(\.lost.magnitude).max() ?? 0
    let columns: [TableColumn<Driver>] = [
      .label("Where") { .label(label(of: $0, in: row, context)) },
      TableColumn("Lost or gained", hasBar: true) { driver in
        let share = largest == 0 ? 0 : Double(driver.lost.magnitude) / Double(largest)
        return .bar(
          .init(share: share, color: driver.lost < 0 ? .regular : .loss), .text(loss(of: driver), .strong))
      },
      .count(ColumnTitle(context.noun.title), priority: .regular(2)) { $0.groups },
      TableColumn("Rate") { .rate($0.rate) },
      TableColumn(ColumnTitle("All others", stacked: ["All", "others"])) { .rate($0.restRate) },
      TableColumn("Difference", priority: .regular(1)) { .text(HumanNumbers.points($0.difference)) },
      TableColumn(ColumnTitle("95 % interval", stacked: ["95 %", "interval"]), priority: .extra(1)) {
        .text(
          "\(HumanNumbers.points($0.differenceInterval.lowerBound)) to \(HumanNumbers.points($0.differenceInterval.upperBound))"
        )
      },
      TableColumn("q", priority: .regular(3)) { .text(HumanNumbers.probability($0.q)) },
    ]
    return DocumentTable(columns, of: [row]) { $0.drivers }
  }

  /// Returns the label of a finding: its conditions in the notation of `--where`.
  private static func label(of driver: Driver, in row: DriversRow, _ context: DocumentContext) -> DocumentCell.Label {
    let conditions = driver.conditions.map(\.text)
    var label = DocumentCell.Label(phrase: Phrase(conditions.map(\.shown).joined(separator: " · ")))
    let options = conditions.compactMap(\.option)
    // Segments of the query are not conditions, so the page of all groups would show other numbers.
    if row.key.segment.isEmpty, options.count == conditions.count { label.target = context.targetOfConditions?(options) }
    return label
  }

  /// Returns the number of groups lost, or gained with a sign.
  private static func loss(of driver: Driver) -> String {
    "\(driver.lost < 0 ? "+" : "")\(HumanNumbers.count(Int(driver.lost.magnitude)))"
  }
}

extension Driver.Condition {
  /// The condition for display, and as a value of `--where`, which is `nil` if no such value means it.
  fileprivate var text: (shown: String, option: String?) {
    let value = self.value.description
    let shown = "\(key)=\(self.value.segmentLabel)"
    // An empty value means that the key is absent, and spaces at the ends of a value are ignored.
    guard !value.isEmpty, value.first != " ", value.last != " " else { return (shown, nil) }
    let escaped = value.split(separator: ",", omittingEmptySubsequences: false).joined(separator: "\\,")
    return (shown, "\(key)=\(escaped)")
  }
}

extension DriversReport {
  package static func addPictures(of rows: [DriversRow], in context: DocumentContext, to part: inout ReportSection) {
    part.pictures = Picture.of(rows, by: context.query.by) { row in
      let statement = Picture.statement(statement(of: row, context.noun))
      guard let largest = row.drivers.map(\.lost.magnitude).max(), largest > 0 else { return [statement] }
      let bars = row.drivers.map { driver in
        let (lost, gained) = driver.lost < 0 ? (0, -driver.lost) : (driver.lost, 0)
        return BarChart.Bar(
          label: label(of: driver, in: row, context), lengths: [Double(lost), Double(gained)], whole: Double(largest),
          value: Phrase("\(loss(of: driver)) · ") + Phrase([.share(driver.rate.value, of: driver.groups, .strong)])
            + Phrase(" of \(HumanNumbers.count(driver.groups)), all others ")
            + Phrase([.share(driver.restRate.value, of: driver.restRate.denominator, .plain)]))
      }
      var chart = BarChart(
        parts: [.init(name: "lost", ink: .loss), .init(name: "gained", ink: .good)], bars: bars)
      chart.hasPartLabels = false
      return [
        statement,
        .chart(
          "Lost or gained where the conditions hold, by comparison with all others",
          "One bar per finding, showing how many \(context.noun.plural) were lost or gained", .bars(chart)),
      ]
    } bySegment: { segments in
      segments.segments.flatMap { segment in
        [.segment(segment.row.key.segment), .statement(statement(of: segment.row, context.noun))]
      }
    }
  }
}
