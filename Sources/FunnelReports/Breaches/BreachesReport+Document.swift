import FunnelModel
package import FunnelRendering

extension BreachesReport {
  package static func document(of rows: [BreachesRow], in context: DocumentContext) -> ReportSection {
    var part = ReportSection(Self.self)
    let noun = context.noun
    switch context.layout {
    case .compact:
      part.append(eachOf: rows) { row in
        let table = table(of: [row], in: .compact)
        return [
          .facts([
            Phrase(
              "\(HumanNumbers.count(row.breached)) of \(noun.counted(row.groups)) \(row.breached == 1 ? "breaks" : "break") a rule"
            )
          ])
        ] + (table.rows.isEmpty ? [] : [.table(table)]) + sentences(of: row, hasExamples: true)
      }
    case .long:
      part.blocks =
        [.table(table(of: rows, in: .long))]
        + rows.flatMap { sentences(of: $0, hasExamples: !context.hasPictures) }
    }
    part.explain(
      "Checked: \(noun.plural) with an event that the rule applies to. Examples: the first subjects in alphabetical order",
      "Rules check all events of all \(noun.plural) with an event in the period, even if they never entered the flow")
    return part
  }

  /// Returns the rules that are broken, largest share first.
  static func broken(in row: BreachesRow) -> [BreachRow] {
    row.rules.enumerated().filter { $0.element.broken > 0 }.sorted { a, b in
      let shareA = a.element.share?.value ?? 0
      let shareB = b.element.share?.value ?? 0
      return shareA != shareB ? shareA > shareB : a.offset < b.offset
    }.map(\.element)
  }

  private static func table(of rows: [BreachesRow], in layout: DocumentLayout) -> DocumentTable {
    var columns: [TableColumn<BreachRow>] = [
      .label("Broken rule") { .label($0.rule) },
      TableColumn("Target", role: .items) { .items($0.target.map { [Phrase($0)] } ?? []) },
      TableColumn("Share", priority: .regular(1), hasBar: true) {
        .bar(.init(share: $0.share?.value, color: .loss), .rate($0.share))
      },
      .interval(priority: .extra(1)) { $0.share },
      TableColumn("Broken") { .people($0.broken, .breach($0.rule, target: $0.target)) },
      .count("Checked", priority: .regular(3)) { $0.checked },
    ]
    if layout == .long {
      columns.append(
        TableColumn("Examples", role: .items, priority: .regular(2)) { row in .items(row.examples.map { Phrase($0, .faint) }) })
    }
    return DocumentTable(columns, of: rows, lines: broken)
  }

  /// Returns sentences with the requirements of the broken rules, and with the names of the rules that hold.
  ///
  /// - Parameter hasExamples: Whether to name example subjects. The table of a page already has them.
  private static func sentences(of row: BreachesRow, hasExamples: Bool) -> [DocumentBlock] {
    let broken = broken(in: row)
    let demands = broken.flatMap { rule in
      [DocumentBlock.facts([Phrase("\(rule.rule)\(rule.target.map { " (\($0))" } ?? ""): \(rule.description)")])]
        + (hasExamples ? [.facts([Phrase("  such as \(rule.examples.joined(separator: ", "))", .faint)])] : [])
    }
    let kept = Set(row.rules.filter { $0.checked > 0 && $0.broken == 0 }.map(\.rule)).subtracting(broken.map(\.rule)).sorted()
    guard !kept.isEmpty else { return demands }
    return demands + [.facts([Phrase("not broken: \(kept.joined(separator: ", "))", .faint)])]
  }
}

extension BreachesReport {
  package static func addPictures(of rows: [BreachesRow], in context: DocumentContext, to part: inout ReportSection) {
    part.pictures = Picture.of(rows, by: context.query.by) { row in
      let broken = broken(in: row)
      guard !broken.isEmpty else { return [] }
      let rates = broken.prefix(Picture.barsMax).map { rule in
        let target = rule.target.map { ": \($0)" } ?? ""
        return (DocumentCell.Label(phrase: Phrase(rule.rule + target)), rule.share, ChartInk.loss)
      }
      let top = ChartScale.shareTop(broken.compactMap { $0.share?.high }.max() ?? 1)
      return [
        .chart(
          "\(context.noun.title) \(context.noun.pronoun) break a rule, of those checked; a full bar is \(HumanNumbers.percent(top))",
          "One bar per broken rule, showing the share of \(context.noun.who) break it, with its 95 % interval",
          .bars(BarChart(rates: rates, top: top)))
      ]
    } bySegment: { segments in
      segmentChart(of: segments, in: context)
    }
  }

  /// Returns a chart with the share of each segment that breaks each rule.
  private static func segmentChart(of segments: ChartedSegments<BreachesRow>, in context: DocumentContext) -> [Picture] {
    let rules = segments.segments.flatMap { broken(in: $0.row) }.unique { [$0.rule, $0.target ?? ""] }.prefix(Picture.barsMax)
    let top = ChartScale.shareTop(segments.segments.flatMap { $0.row.rules.compactMap { $0.share?.value } }.max() ?? 1)
    return segments.chart(
      "\(context.noun.title) \(context.noun.pronoun) break a rule, of those checked; a full bar is \(HumanNumbers.percent(top))",
      "A bar for each broken rule and segment, showing the share of \(context.noun.who) break it",
      labels: rules.map { $0.rule + ($0.target.map { ": \($0)" } ?? "") }, top: top
    ) { index, segment in
      let rule = segment.row.rules.first { ($0.rule, $0.target) == (rules[index].rule, rules[index].target) }
      return rule.map { rule in
        segment.bar(rule.broken, of: rule.checked, people: (.breach(rule.rule, target: rule.target), "broke it"))
      }
    }
  }
}
