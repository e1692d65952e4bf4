import FunnelModel
import FunnelProjections

extension StepsReport {
  public static func document(of rows: [StepsRow], in context: DocumentContext) -> DocumentPart {
    var part = DocumentPart(Self.self)
    switch context.layout {
    case .compact:
      part.append(eachOf: rows) { row in
        [.table(table(of: [(row.key.segment, row)]))] + details(of: row)
      }
    case .long: part.blocks = [.table(table(of: rows.map { ($0.key.segment, $0) }))] + rows.flatMap { details(of: $0) }
    }
    part.blocks.append(
      .explanation(
        "Events of \(context.noun.plural) count for a step from when it is reached until the next required step is reached or the window ends"
      ))
    if rows.contains(where: \.asksPermissions) {
      part.blocks.append(
        .explanation(
          "Skipped: the step, or the permission that a step asks for. 'funnel report grants' has the answers to all permissions"
        ))
    }
    if rows.contains(where: { $0.steps.contains { $0.reached == nil } }) {
      part.blocks.append(.explanation("Optional steps have no numbers if steps come in any order"))
    }
    part.blocks.append(
      .explanation(
        "Views: how often the step was shown in that time. Time on step: until it was completed or, if never, until the next required step"
      ))
    return part
  }

  private static func table(of rows: [(segment: [PropertyValue], row: StepsRow)]) -> DocumentTable {
    let columns: [TableColumn<StepsStepRow>] = [
      .label("Step") { .label(.init(phrase: Phrase($0.label, $0.isOptional ? .faint : .plain), isOptional: $0.isOptional)) },
      // If steps may come in any order, no event belongs to an optional step.
      .count("Reached") { $0.reached },
      .count("Completed") { $0.reached == nil ? nil : $0.completed },
      .count("Skipped", rank: 1) { $0.reached == nil ? nil : $0.skipped },
      .count("Back", rank: 2) { $0.reached == nil ? nil : $0.back },
      .count("Failed", rank: 3) { $0.reached == nil ? nil : $0.failed },
      .count("Views", rank: 5) { $0.reached == nil ? nil : $0.views },
      TableColumn(ColumnTitle("Median time on step", stacked: ["Median", "on step"]), rank: 4) { .duration($0.time?.p50) },
      TableColumn(ColumnTitle("p90", alone: ["On step,", "p90"]), rank: 6) { .duration($0.time?.p90, .faint) },
      TableColumn(ColumnTitle("p99", alone: ["On step,", "p99"]), rank: 7) { .duration($0.time?.p99, .faint) },
    ]
    return DocumentTable(columns, rows: rows.flatMap { segment, row in row.steps.map { (segment, $0) } })
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
        let mean = value.mean.map { "mean \(HumanNumbers.decimal($0)), " } ?? ""
        blocks.append(.facts([Phrase("\(step.label), \(value.key): \(mean)most often \(top)")]))
      }
      return blocks
    }
  }
}
