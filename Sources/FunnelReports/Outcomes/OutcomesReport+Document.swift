import FunnelModel
package import FunnelRendering

extension OutcomesReport {
  package static func document(of rows: [OutcomesRow], in context: DocumentContext) -> ReportSection {
    var part = ReportSection(Self.self)
    let noun = context.noun
    // A compact layout has these numbers as sentences.
    if context.layout == .long { part.blocks.append(.table(overview(of: rows))) }
    part.append(rows, in: context.layout, facts: { facts(of: $0, noun) }, details: details) { table(of: $0, noun) }
    part.explain(
      "The last outcome within the window counts; shares are of the \(noun.who) are not in progress",
      "Retries: outcomes followed by another outcome of the same \(noun.singular), such as a second try after a failure")
    if rows.contains(where: { $0.inProgress > 0 }) {
      part.explain(
        "In progress: \(noun.who) have no outcome yet while their window from the first step is open, whether or not they completed "
          + "all steps; in the funnel, those \(noun.pronoun) did are completed")
    }
    return part
  }

  private static func facts(of row: OutcomesRow, _ noun: CountedNoun) -> [DocumentBlock] {
    [
      .facts([
        .count(row.entered, "entered"), success(of: row, noun), .count(row.none, "without an outcome"),
        .count(row.retries, row.retries == 1 ? "retry" : "retries"), inProgress(of: row),
      ])
    ]
  }

  /// Returns a table of the numbers of all outcomes together, with a row for each segment.
  private static func overview(of rows: [OutcomesRow]) -> DocumentTable {
    let columns: [TableColumn<OutcomesRow>] = [
      .people("Entered", .entered) { $0.entered },
      .count("Succeeded") { $0.successes },
      TableColumn("Success rate", hasBar: true) { .bar(.init(share: $0.successRate?.value), .rate($0.successRate)) },
      .interval(priority: .regular(1)) { $0.successRate },
      .count("Without an outcome") { $0.none },
      .count("In progress") { $0.inProgress },
      .count("Retries") { $0.retries },
    ]
    return DocumentTable(columns, of: rows)
  }

  /// Returns how many succeeded, of how many. Groups in progress are not among them.
  private static func success(of row: OutcomesRow, _ noun: CountedNoun) -> Phrase {
    guard let rate = row.successRate else { return Phrase([.absent, .text(" succeeded", .plain)]) }
    // Nobody is left out of the share if none are in progress.
    let decided =
      if row.inProgress == 0 { "" } else if row.none == 0 { " with an outcome" } else { " not in progress" }
    let all = "\(noun.counted(rate.denominator))\(decided)"
    return Phrase([
      .text("\(HumanNumbers.count(row.successes)) of the \(all) succeeded (", .plain),
      .share(rate.value, of: rate.denominator, .strong), .text(", 95 % interval ", .plain), .interval(rate),
      .text(")", .plain),
    ])
  }

  /// Returns how many are in progress, and what that means for the share of those that succeeded.
  private static func inProgress(of row: OutcomesRow) -> Phrase {
    guard row.inProgress > 0 else { return .count(0, "in progress") }
    let verb = row.inProgress == 1 ? "is" : "are"
    return .count(
      row.inProgress,
      "of \(HumanNumbers.count(row.entered)) \(verb) in progress (no outcome yet, window still open), so this share is not final"
    )
  }

  private static func table(of rows: [OutcomesRow], _ noun: CountedNoun) -> DocumentTable {
    let columns: [TableColumn<OutcomeRow>] = [
      .label("Outcome") { .label($0.label) },
      TableColumn("Share", priority: .regular(1), hasBar: true) {
        .bar(.init(share: $0.share?.value, color: $0.isSuccess ? .regular : .loss), .rate($0.share))
      },
      .interval(priority: .regular(3)) { $0.share },
      TableColumn(ColumnTitle(noun.title)) { .people($0.count, .outcome($0.id)) },
      TableColumn("Success", role: .items, priority: .extra(2)) { .items([Phrase($0.isSuccess ? "yes" : "no", .faint)]) },
      TableColumn(ColumnTitle("Median time from start", stacked: ["Median", "from start"]), priority: .regular(2)) {
        .duration($0.time?.p50)
      },
      TableColumn(ColumnTitle("p90", alone: ["From start,", "p90"]), priority: .extra(1)) { .duration($0.time?.p90, .faint) },
      TableColumn("Worth", role: .items, priority: .essential) { row in
        .items(row.amounts.map { Phrase("\(HumanNumbers.amount($0.sum)) \($0.unit)") })
      },
    ]
    return DocumentTable(columns, of: rows, lines: \.outcomes)
  }

  /// The maximum number of values of a property in a sentence.
  private static let detailValuesMax = 8

  /// Returns a sentence for each outcome and property of its breakdown.
  private static func details(of row: OutcomesRow) -> [DocumentBlock] {
    row.outcomes.flatMap { outcome in
      outcome.details.filter { detail in detail.counts.contains { $0.name != NamedCount.noValue } }.map { detail in
        let counts = detail.counts.prefix(detailValuesMax).map { "\(HumanNumbers.count($0.count)) \($0.name)" }
          .joined(separator: ", ")
        return DocumentBlock.facts([Phrase("\(outcome.label) by \(detail.key): \(counts)")])
      }
    }
  }
}

extension OutcomesReport {
  package static func addPictures(of rows: [OutcomesRow], in context: DocumentContext, to part: inout ReportSection) {
    part.pictures = Picture.of(rows, by: context.query.by) { row in
      guard row.outcomes.contains(where: { $0.count > 0 }) else { return [] }
      let rates = row.outcomes.map { outcome in
        (DocumentCell.Label(phrase: Phrase(outcome.label)), outcome.share, outcome.isSuccess ? ChartInk.good : .loss)
      }
      return [
        .chart(
          "Outcomes of the \(context.noun.who) are not in progress",
          "One bar per outcome, showing its share with its 95 % interval; successes and failures have different colours",
          .bars(BarChart(rates: rates, meanings: [.good: "a success", .loss: "no success"])))
      ]
    } bySegment: { segments in
      let outcomes = segments.segments[0].row.outcomes
      return segments.chart(
        "Outcomes of the \(context.noun.who) are not in progress",
        "A bar for each outcome and segment, showing its share with its 95 % interval", labels: outcomes.map(\.label)
      ) { index, segment in
        let outcome = segment.row.outcomes.first { $0.id == outcomes[index].id }
        return outcome.map { outcome in
          segment.bar(
            outcome.count, of: outcome.decided, interval: outcome.share, people: (.outcome(outcome.id), "had it"))
        }
      }
    }
  }
}
