import FunnelProjections

extension OutcomesReport {
  public static func addPictures(of rows: [OutcomesRow], in context: DocumentContext, to part: inout DocumentPart) {
    part.pictures = Picture.each(of: rows) { row in
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
    }
  }
}
