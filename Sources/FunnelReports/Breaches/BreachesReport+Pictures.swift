import FunnelProjections

extension BreachesReport {
  public static func addPictures(of rows: [BreachesRow], in context: DocumentContext, to part: inout DocumentPart) {
    part.pictures = Picture.each(of: rows) { row in
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
    }
  }
}
