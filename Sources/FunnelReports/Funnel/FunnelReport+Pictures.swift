import FunnelModel
import FunnelProjections

extension FunnelReport {
  public static func addPictures(of rows: [FunnelRow], in context: DocumentContext, to part: inout DocumentPart) {
    let rows = rows.labelled(for: context.query.order)
    let comparison = rows.count > 1 && rows.count <= Picture.barsMax ? [conversions(of: rows)] : []
    if rows.count == 1, let rate = rows[0].conversion {
      part.figure = Phrase([.share(rate.value, of: rate.denominator, .strong)])
    }
    part.pictures =
      comparison + Picture.each(of: rows) { row in [.figures(figures(of: row)), steps(of: row, in: context)] }
  }

  private static func figures(of row: FunnelRow) -> [DocumentFigure] {
    // While many groups are in progress, an interval of the current rate would be misleading.
    let isFinal = !row.hasManyInProgress
    let interval = isFinal ? row.conversion.map { Phrase([.text("95 % interval ", .plain), .interval($0)]) } : nil
    var figures = [
      DocumentFigure(name: "Entered", value: Phrase(HumanNumbers.count(row.entered))),
      DocumentFigure(name: "Completed", value: Phrase(HumanNumbers.count(row.completed))),
      DocumentFigure(name: isFinal ? "Conversion" : "Converted so far", value: share(row.conversion), note: interval),
    ]
    if row.hasManyInProgress, let rate = row.closed.conversion {
      let note = Phrase([.text("of \(HumanNumbers.count(row.closed.entered)), 95 % interval ", .plain), .interval(rate)])
      figures.append(DocumentFigure(name: "Of those whose window has closed", value: share(rate), note: note))
    }
    figures.append(DocumentFigure(name: "Dropped", value: Phrase(HumanNumbers.count(row.dropped))))
    figures.append(DocumentFigure(name: "In progress", value: Phrase(HumanNumbers.count(row.inProgress))))
    if let excluded = row.excluded, excluded > 0 {
      figures.append(DocumentFigure(name: "Excluded", value: Phrase(HumanNumbers.count(excluded))))
    }
    return figures
  }

  private static func share(_ rate: Rate?) -> Phrase {
    Phrase(rate.map { [.share($0.value, of: $0.denominator, .plain)] } ?? [.absent])
  }

  private static func conversions(of rows: [FunnelRow]) -> Picture {
    .chart(
      "Conversion by segment", "One bar per segment, showing its conversion with its 95 % interval",
      .bars(BarChart(rates: rows.map { (.init(phrase: Phrase([.segment($0.key.segment)])), $0.conversion, .good) })))
  }

  /// Returns a chart with a bar for each step, of the groups that reached it.
  ///
  /// A bar is divided into groups that went on, are in progress, were excluded, or dropped. If steps may come
  /// in any order, it is not divided, because a step has no next step.
  private static func steps(of row: FunnelRow, in context: DocumentContext) -> Picture {
    let isOrdered = context.query.order != .any
    let noun = context.noun.who
    let required = row.steps.filter { !$0.isOptional }
    var next: [String: Int] = [:]
    for (step, following) in zip(required, required.dropFirst()) { next[step.id] = following.reached ?? 0 }
    let bars = row.steps.map { step -> BarChart.Bar in
      let reached = step.reached ?? 0
      let (dropped, open) = isOrdered && !step.isOptional ? (step.dropped ?? 0, step.inProgress ?? 0) : (0, 0)
      let wentOn = step.isOptional || !isOrdered ? reached : min(next[step.id] ?? reached - dropped - open, reached)
      let excluded = max(0, reached - wentOn - dropped - open)
      let isLast = isOrdered && step.id == required.last?.id
      let lengths = [
        step.isOptional || isLast ? 0 : wentOn, isLast ? wentOn : 0, step.isOptional ? wentOn : 0, open, excluded, dropped,
      ].map(Double.init)
      let value: [Phrase.Part] =
        step.reached.map { [.text("\(HumanNumbers.count($0)) · ", .plain)] + share(step.fromStart, of: row.entered) } ?? [
          .absent
        ]
      let label = DocumentCell.Label(phrase: Phrase(step.label + (step.isOptional ? " (optional)" : "")))
      return BarChart.Bar(label: label, lengths: lengths, whole: Double(row.entered), value: Phrase(value))
    }
    let parts: [BarChart.Part] = [
      .init(name: isOrdered ? "went on" : "reached", ink: .good), .init(name: "completed", ink: .good),
      .init(name: "reached, optional", ink: .partial),
      .init(name: "in progress", ink: .open), .init(name: "excluded", ink: .neutral), .init(name: "dropped", ink: .loss),
    ]
    return .chart(
      "Reached, of those who entered",
      isOrdered
        ? "One bar per step, showing the number of \(noun) reached it, divided into those who went on, are in progress and dropped there"
        : "One bar per step, showing the number of \(noun) reached it",
      .bars(BarChart(parts: parts, bars: bars)))
  }

  private static func share(_ share: Double?, of groups: Int) -> [Phrase.Part] {
    share.map { [.share($0, of: groups, .strong)] } ?? [.absent]
  }
}
