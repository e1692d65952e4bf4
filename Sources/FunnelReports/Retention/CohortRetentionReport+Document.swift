import FunnelModel
import FunnelProjections
package import FunnelRendering

extension CohortRetentionReport {
  package static func document(of rows: [RetentionRow], in context: DocumentContext) -> ReportSection {
    var part = ReportSection(Self.self)
    let noun = context.noun
    let row = rows[0]
    // Those who entered are all in the table, however they went on.
    if row.start == .completed {
      part.blocks += LeftOutText.countedAsDropped(
        context.funnels(of: rows), consequence: " and are in no row of this table", counting: noun
      ).map { .statement($0) }
    }
    part.append(rows, in: context.layout, facts: { facts(of: $0, noun) }, table: { table(of: $0, noun) })
    let unit = row.every.rawValue
    let means = row.returnEvents.isEmpty ? "Any event of the app" : "Only \(row.returnEvents.joined(separator: " or "))"
    let (begun, moment) =
      switch row.start {
      case .entered: ("started", "start")
      case .completed: ("completed the flow", "last step")
      }
    part.explain(
      "Each row is the \(noun.who) \(begun) \(row.every == .day ? "on" : "in") that \(unit). \(means) counts as coming back",
      "\(unit.capitalizedFirst) 1 is \(firstPeriod(of: row.every)) after each \(noun.singular)'s \(moment). "
        + "Only \(noun.plural) whose \(unit) is over are counted")
    return part
  }

  /// The first period as text. A period is a span of elapsed time (``CalendarUnit/periodMilliseconds``).
  private static func firstPeriod(of unit: CalendarUnit) -> String {
    switch unit {
    case .day: "hours 24 to 47"
    case .week: "days 7 to 13"
    case .month: "days 30 to 59"
    }
  }

  /// Returns the sentence of ``RetentionHeadline`` about one segment.
  private static func facts(of row: RetentionRow, _ noun: CountedNoun) -> [DocumentBlock] {
    RetentionHeadline([row], counting: noun).map { [.facts([$0.phrase])] } ?? []
  }

  /// The number of periods that are columns of the table. CSV and JSON have all.
  private static let columnsMax = 12

  /// Returns the share of a period, which served pages link to those who came back.
  private static func cell(of cohort: RetentionCohort, _ index: Int) -> DocumentCell {
    let period = cohort.periods[index]
    guard period.returned > 0 else { return .rate(period.share) }
    return .linked(.returned(period: index + 1, cohort: cohort.bucket?.name), .rate(period.share))
  }

  private static func table(of rows: [RetentionRow], _ noun: CountedNoun) -> DocumentTable {
    let unit = rows[0].every.rawValue.capitalizedFirst
    var columns: [TableColumn<RetentionCohort>] = [
      .label(unit) { .label(.init(phrase: $0.bucket.map { Phrase($0.name) } ?? Phrase("all", .strong))) },
      .count(ColumnTitle(noun.title)) { $0.groups },
    ]
    for index in 0..<min(columnsMax, rows[0].total.periods.count) {
      let priority: ColumnPriority = index == 0 ? .essential : .extra(index)
      columns.append(TableColumn(ColumnTitle("\(unit) \(index + 1)"), priority: priority) { cell(of: $0, index) })
    }
    return DocumentTable(columns, of: rows, lines: \.allCohorts)
  }
}

extension CohortRetentionReport {
  /// Adds a triangle for each row, in which the color of a cell shows the share that came back.
  package static func addPictures(of rows: [RetentionRow], in context: DocumentContext, to part: inout ReportSection) {
    part.pictures = Picture.of(rows, by: context.query.by) { row in
      let unit = row.every.rawValue
      return [
        .chart(
          "Who came back, by \(unit)",
          "A row for each \(unit) of the first step and a column for each later \(unit); the darker a cell, the larger the share "
            + "that came back; cells of fewer than \(fewGroupsMax) \(context.noun.plural) have an asterisk and the lightest color",
          .shading(
            ShadingChart(
              columns: row.total.periods.indices.map { "\($0 + 1)" },
              rows: row.cohorts.compactMap { cohort in
                cohort.bucket.map { ShadingChart.Row(name: $0.name, rates: cohort.periods.map(\.share)) }
              })))
      ]
    } bySegment: { segments in
      let unit = rows[0].every.rawValue
      return segments.chart(
        "Came back, by \(unit)", "A bar for each \(unit) and segment, showing the share that came back in it",
        labels: rows[0].total.periods.indices.prefix(columnsMax).map { "\(unit.capitalizedFirst) \($0 + 1)" }
      ) { index, segment in
        let period = segment.row.total.periods[index]
        return period.over > 0 ? segment.bar(period.returned, of: period.over) : nil
      }
    }
  }
}
