import FunnelProjections

extension StepsReport {
  /// The events at a step that a bar shows, each with its number of groups.
  private static let ends: [(name: String, ink: ChartInk, count: @Sendable (StepsStepRow) -> Int)] = [
    ("completed", .good, { $0.completed }), ("skipped", .detour, { $0.skipped }), ("went back", .partial, { $0.back }),
    ("failed", .failure, { $0.failed }),
  ]

  /// Adds a bar for each step, divided by the events during the stays of groups. A group can have several of
  /// these events.
  ///
  /// The bars of all segments have the same scale.
  public static func addPictures(of rows: [StepsRow], in context: DocumentContext, to part: inout DocumentPart) {
    let noun = context.noun.who
    let whole = rows.flatMap { drawn(of: $0) }.map { step in
      max(step.reached ?? 0, ends.reduce(0) { $0 + $1.count(step) })
    }.max()
    part.pictures = Picture.each(of: rows) { row in
      let steps = drawn(of: row)
      guard !steps.isEmpty, let whole else { return [] }
      let bars = steps.map { step in
        BarChart.Bar(
          label: .init(phrase: Phrase(step.label)), lengths: ends.map { Double($0.count(step)) }, whole: Double(whole),
          value: Phrase(
            [.text("of \(HumanNumbers.count(step.reached ?? 0)) · median time on step ", .plain)]
              + (step.time.map { [.text(HumanNumbers.duration(milliseconds: $0.p50), .strong)] } ?? [.absent])))
      }
      return [
        .chart(
          "What \(context.noun.plural) did on each step",
          "One bar per step, divided into the \(noun) completed it, skipped it, went back and failed on it",
          .bars(BarChart(parts: ends.map { .init(name: $0.name, ink: $0.ink) }, bars: bars)))
      ]
    }
  }

  private static func drawn(of row: StepsRow) -> [StepsStepRow] {
    row.steps.filter { step in ends.contains { $0.count(step) > 0 } }
  }
}
