import FunnelProjections

extension StepsReport {
  /// Draws what became of each step as bars of the groups that did each thing during their stay. A group may have done several.
  public static func addPictures(of rows: [StepsRow], in context: DocumentContext, to part: inout DocumentPart) {
    part.pictures = Picture.each(of: rows) { row in
      let ends: [(name: String, ink: ChartInk, count: (StepsStepRow) -> Int)] = [
        ("completed", .good, { $0.completed }), ("skipped", .detour, { $0.skipped }), ("went back", .partial, { $0.back }),
        ("failed", .failure, { $0.failed }),
      ]
      let steps = row.steps.filter { step in ends.contains { $0.count(step) > 0 } }
      guard !steps.isEmpty else { return [] }
      let whole = steps.map { step in max(step.reached ?? 0, ends.reduce(0) { $0 + $1.count(step) }) }.max() ?? 1
      let bars = steps.map { step in
        BarChart.Bar(
          label: .init(phrase: Phrase(step.label)), lengths: ends.map { Double($0.count(step)) }, whole: Double(whole),
          value: Phrase(
            [.text("of \(HumanNumbers.count(step.reached ?? 0)) · median ", .plain)]
              + (step.time.map { [.text(HumanNumbers.duration(milliseconds: $0.p50), .strong)] } ?? [.absent])))
      }
      return [
        .chart(
          "What groups did at each step",
          "A bar for each step, parted into the groups that completed it, skipped it, went back and failed during their stay",
          .bars(BarChart(parts: ends.map { .init(name: $0.name, ink: $0.ink) }, bars: bars)))
      ]
    }
  }
}
