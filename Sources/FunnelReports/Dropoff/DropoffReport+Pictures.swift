import FunnelModel
import FunnelProjections

extension DropoffReport {
  /// Adds a bar for each step at which groups dropped, divided by the way they left. The longest bar fills the width.
  public static func addPictures(of rows: [DropoffRow], in context: DocumentContext, to part: inout DocumentPart) {
    let rows = rows.labelled(for: context.query.order)
    // The bars of all segments have the same scale, which makes segments comparable.
    let most = rows.flatMap { $0.steps.map(\.dropped) }.max() ?? 0
    let isClosedShown = rows.contains(where: \.hasManyInProgress)
    part.pictures = Picture.each(of: rows) { row in
      let lossy = row.steps.filter { $0.dropped > 0 }
      guard !lossy.isEmpty else { return [] }
      let parts = ExitKind.allCases.filter { kind in lossy.contains { $0.count(of: kind) > 0 } }
      let bars = lossy.map { step in
        let share = step.share(ofClosed: isClosedShown)
        let value: [Phrase.Part] =
          [.text("\(HumanNumbers.count(step.dropped)) dropped", .plain)]
          + (share.share.map { [.text(" · ", .plain), .share($0, of: share.of, .strong)] } ?? [])
        return BarChart.Bar(
          label: .init(phrase: Phrase(step.label)), lengths: parts.map { Double(step.count(of: $0)) }, whole: Double(most),
          value: Phrase(value))
      }
      return [
        .chart(
          isClosedShown
            ? "Dropped, and the share of those who reached the step and whose window is closed"
            : "Dropped, and the share of those who reached the step",
          "A bar for each step as long as the number of \(context.noun.who) dropped there, split by how they left",
          .bars(BarChart(parts: parts.map { .init(name: $0.word, ink: $0.ink) }, bars: bars)))
      ]
    }
  }
}

extension ExitKind {
  fileprivate var ink: ChartInk {
    switch self {
    case .left: .loss
    case .ended: .neutral
    case .back: .partial
    case .skipped: .detour
    case .denied: .refusal
    case .failed: .failure
    }
  }
}
