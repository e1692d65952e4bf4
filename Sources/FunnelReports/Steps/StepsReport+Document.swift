import FunnelModel
package import FunnelRendering

extension StepsReport {
  package static func document(of rows: [StepsRow], in context: DocumentContext) -> ReportSection {
    var part = ReportSection(Self.self)
    part.append(rows, in: context.layout, details: details, table: table)
    part.explain(
      "Events of \(context.noun.plural) count for a step from when it is reached until the next required step is reached or the window ends"
    )
    if rows.contains(where: \.asksPermissions) {
      part.explain(
        "Skipped: the step, or the permission that a step asks for. 'funnel report grants' has the answers to all permissions")
    }
    if rows.contains(where: { $0.steps.contains { $0.reached == nil } }) {
      part.explain("Optional steps have no numbers if steps come in any order")
    }
    part.explain(
      "Views: how often the step was shown in that time. Time on step: until it was completed or, if never, until the next required step"
    )
    return part
  }

  private static func table(of rows: [StepsRow]) -> DocumentTable {
    let columns: [TableColumn<StepsStepRow>] = [
      .label("Step") { .label(.init(phrase: Phrase($0.label, $0.isOptional ? .faint : .plain), isOptional: $0.isOptional)) },
      // If steps may come in any order, no event belongs to an optional step.
      .count("Reached") { $0.reached },
      .count("Completed") { $0.reached == nil ? nil : $0.completed },
      .count("Skipped", priority: .regular(1)) { $0.reached == nil ? nil : $0.skipped },
      .count("Back", priority: .regular(2)) { $0.reached == nil ? nil : $0.back },
      .count("Failed", priority: .regular(3)) { $0.reached == nil ? nil : $0.failed },
      .count("Views", priority: .extra(2)) { $0.reached == nil ? nil : $0.views },
      TableColumn(ColumnTitle("Median time on step", stacked: ["Median", "on step"]), priority: .extra(1)) {
        .duration($0.time?.p50)
      },
      TableColumn(ColumnTitle("p90", alone: ["On step,", "p90"]), priority: .extra(3)) { .duration($0.time?.p90, .faint) },
      TableColumn(ColumnTitle("p99", alone: ["On step,", "p99"]), priority: .extra(4)) { .duration($0.time?.p99, .faint) },
    ]
    return DocumentTable(columns, of: rows, lines: \.steps)
  }

  /// Returns a frequency of events, such as `once` or `167 times`.
  private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(HumanNumbers.count(count)) times" }

  /// The maximum number of values of a property in a sentence.
  private static let topValuesMax = 5

  /// Returns sentences about the reasons of failures, and about the properties of completions.
  private static func details(of row: StepsRow) -> [DocumentBlock] {
    row.steps.flatMap { step -> [DocumentBlock] in
      var blocks: [DocumentBlock] = []
      if !step.failures.isEmpty {
        let reasons = step.failures.map { "\($0.name) \(Self.times($0.count))" }.joined(separator: ", ")
        blocks.append(.facts([Phrase("\(step.label) failed: \(reasons)")]))
      }
      for value in step.values {
        let top = value.top.prefix(topValuesMax).map { "\($0.value.description) (\(HumanNumbers.count($0.count)))" }.joined(
          separator: ", ")
        let mean = value.mean.map { "mean \(HumanNumbers.statistic($0)), " } ?? ""
        blocks.append(.facts([Phrase("\(step.label), \(value.key): \(mean)most often \(top)")]))
      }
      return blocks
    }
  }
}

extension StepsReport {
  /// The events at a step that a bar shows, each with its number of groups.
  private static let ends: [(name: String, ink: ChartInk, count: @Sendable (StepsStepRow) -> Int)] = [
    ("completed", .good, { $0.completed }), ("skipped", .detour, { $0.skipped }), ("went back", .partial, { $0.back }),
    ("failed", .failure, { $0.failed }),
  ]

  /// Adds a bar for each step, divided by the events during the stays of groups. A group can have several of
  /// these events.
  package static func addPictures(of rows: [StepsRow], in context: DocumentContext, to part: inout ReportSection) {
    let noun = context.noun.who
    part.pictures = Picture.of(rows, by: context.query.by) { row in
      let steps = drawn(of: row)
      let whole = steps.map { step in max(step.reached ?? 0, ends.reduce(0) { $0 + $1.count(step) }) }.max()
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
    } bySegment: { segments in
      segmentChart(of: segments, in: context)
    }
  }

  /// Returns a chart with the share of each segment that completed each step.
  private static func segmentChart(of segments: ChartedSegments<StepsRow>, in context: DocumentContext) -> [Picture] {
    let steps = segments.segments[0].row.steps
    let shown = steps.indices.filter { index in
      segments.segments.contains { index < $0.row.steps.count && $0.row.steps[index].completed > 0 }
    }
    return segments.chart(
      "Completed the step, of those who reached it",
      "A bar for each step and segment, showing the share of the \(context.noun.who) completed it",
      labels: shown.map { steps[$0].label }
    ) { index, segment in
      guard shown[index] < segment.row.steps.count else { return nil }
      let step = segment.row.steps[shown[index]]
      return step.reached.map { segment.bar(step.completed, of: $0) }
    }
  }

  private static func drawn(of row: StepsRow) -> [StepsStepRow] {
    row.steps.filter { step in ends.contains { $0.count(step) > 0 } }
  }
}
