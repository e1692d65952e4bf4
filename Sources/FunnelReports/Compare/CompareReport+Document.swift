import FunnelModel
import FunnelProjections
package import FunnelRendering

extension CompareReport {
  package static func document(of rows: [ComparisonRow], in context: DocumentContext) -> ReportSection {
    var part = ReportSection(Self.self)
    // Sentences that are true of several rows are printed once.
    var notes: Set<String> = []
    for row in rows {
      // On a page, the sentences are printed above the charts.
      if !context.hasPictures { part.blocks += sentences(of: row).map(\.block) }
      if let difference = ComparisonText.difference(of: row) { part.blocks.append(.facts([Phrase(difference)])) }
      part.blocks.append(.facts(sizes(of: row)))
      part.blocks.append(.table(table(of: row)))
      part.blocks += ComparisonText.notes(of: row).filter { notes.insert($0).inserted }.map { .explanation($0) }
    }
    part.blocks += explanations(of: rows).map { .explanation($0) }
    return part
  }

  /// A sentence that is printed above the tables and charts of a comparison.
  enum Sentence {
    case warning(String)
    case statement(String)

    /// The text of a warning, or `nil` for a statement.
    var warning: String? { if case .warning(let text) = self { text } else { nil } }

    fileprivate var block: DocumentBlock {
      switch self {
      case .warning(let text): .warning(text)
      case .statement(let text): .statement(text)
      }
    }

    var picture: Picture {
      switch self {
      case .warning(let text): .warning(text)
      case .statement(let text): .statement(text)
      }
    }
  }

  /// Returns the verdict and its warnings in print order: the warning about the sizes of the sides, the
  /// verdict, the caveats that make the comparison unfair, and the warning about a different result within
  /// strata.
  static func sentences(of row: ComparisonRow) -> [Sentence] {
    let before = [ComparisonText.warning(of: row)]
    let after = row.appliedCaveats.map { $0.text as String? } + [ComparisonText.strataWarning(of: row)]
    return before.compactMap(\.self).map { .warning($0) } + [.statement(ComparisonText.verdict(of: row))]
      + after.compactMap(\.self).map { .warning($0) }
  }

  private static func sizes(of row: ComparisonRow) -> [Phrase] {
    var facts = [
      Phrase("\(row.noun.counted(row.a.entered)) in \(row.a.title) (the baseline)"),
      Phrase("\(HumanNumbers.count(row.b.entered)) in \(row.b.title)"),
    ]
    // The titles of periods and versions are self-explanatory. The values of a key are not.
    if case .key = row.by { facts.insert(Phrase(row.by.name), at: 0) }
    if let strata = row.settings.strata, let stratified = row.primary?.stratified {
      facts.append(Phrase("within \(strata): \(ComparisonText.stratified(stratified))"))
    }
    if let overall = row.overall, row.isFair {
      facts.append(
        Phrase(
          "conversion over \(overall.degreesOfFreedom + 1) \(row.by.noun)s: chi² \(HumanNumbers.statistic(overall.chiSquared)), "
            + HumanNumbers.probabilityClause(overall.p)))
    }
    return facts
  }

  // MARK: - Explanations

  /// Returns the sentences that explain the columns of all tables together.
  private static func explanations(of rows: [ComparisonRow]) -> [String] {
    guard let first = rows.first else { return [] }
    let metrics = rows.flatMap(\.metrics)
    let counted =
      first.context.isSameAge || first.context.countsOpenGroups
      ? "Those in progress count too, as not converted so far"
      : "Only \(first.noun.plural) whose window has closed count"
    let shares = [
      metrics.contains { if case .reached = $0.id { true } else { false } } ? "reached is of those who entered" : nil,
      metrics.contains { if case .grantRate = $0.id { true } else { false } }
        ? "grant and access rates are of those who were asked" : nil,
      metrics.contains { if case .dialogGrantRate = $0.id { true } else { false } }
        ? "in dialog is of those who answered the system's dialog" : nil,
    ].compactMap { $0 }
    let tested = metrics.filter { $0.comparison != nil }
    let cause: [String] =
      switch first.by {
      case .version, .period:
        ["\(first.by.noun.capitalizedFirst)s are not assigned at random: the difference includes all else that changed"]
      case .key where first.by.isExperiment: []
      case .key:
        ["If \(first.by.name) is not assigned at random, the difference includes all else in which these people differ"]
      }
    return cause + [([counted] + shares).joined(separator: "; ")] + (tested.isEmpty ? [] : statistics(of: tested, in: first))
  }

  private static func statistics(of tested: [ComparisonMetric], in row: ComparisonRow) -> [String] {
    let others = tested.count { !$0.isPrimary }
    let primaries = tested.count { $0.isPrimary }
    var sentence =
      "The difference is in points, with its 95 % interval (Newcombe), which is not corrected for the number of comparisons. p: how often "
      + "chance alone would give a difference this large, if you look once; p at any look holds however often you look"
    if primaries > 1, let primary = row.primary {
      sentence += ". The \(primaries) p values of \(primary.label) are corrected for their number (Holm)"
    }
    if others > 1 { sentence += ". The other \(others) p values are corrected for their number (Holm)" }
    return [sentence]
  }

  // MARK: - Table

  private static func table(of row: ComparisonRow) -> DocumentTable {
    let columns: [TableColumn<ComparisonMetric>] = [
      .label("Metric") { .label(DocumentCell.Label(phrase: Phrase($0.label, $0.isPrimary ? .strong : .plain))) },
      share(row.a.title) { $0.a },
      share(row.b.title) { $0.b },
      TableColumn("Difference") { metric in
        .text(metric.comparison.map { HumanNumbers.points($0.difference) } ?? "", metric.emphasis)
      },
      TableColumn(
        ColumnTitle("95 % interval", stacked: ["95 %", "interval"], alone: ["Difference,", "95 % interval"]),
        priority: .regular(2)
      ) { metric in
        .text(
          metric.comparison.map { "\(HumanNumbers.points($0.low)) to \(HumanNumbers.points($0.high))" } ?? "", .faint)
      },
      TableColumn("p") { metric in
        .text(metric.holmP.map { HumanNumbers.probability($0) } ?? "no test", metric.emphasis)
      },
      TableColumn(ColumnTitle("p at any look", stacked: ["p at any", "look"]), priority: .regular(1)) { metric in
        .text(
          metric.comparison?.test == .fisher ? "too few" : metric.anytimeHolmP.map { HumanNumbers.probability($0) } ?? "",
          .faint)
      },
      TableColumn(
        ColumnTitle("Needed per \(row.by.noun)", stacked: ["Needed per", row.by.noun]), priority: .regular(3)
      ) { metric in
        guard metric.comparison != nil else { return .empty }
        guard let needed = metric.neededPerSide else { return .count(nil, .faint) }
        return .text(ComparisonText.needed(needed), .faint)
      },
    ]
    return DocumentTable(columns, rows: row.metrics.map { ([], $0) })
  }

  private static func share(
    _ title: String, _ share: @escaping (ComparisonMetric) -> ComparedShare?
  ) -> TableColumn<ComparisonMetric> {
    TableColumn(columnTitle(title)) { metric in
      share(metric).map { .rateOfGroups($0.rate, groups: $0.total) } ?? .empty
    }
  }

  /// The maximum number of characters in a line of a title. Longer lines are truncated.
  private static let titleCharactersMax = 24

  /// Returns the title of a side's column. A narrow table splits the title of a period into two lines.
  private static func columnTitle(_ title: String) -> ColumnTitle {
    func cut(_ line: Substring) -> String {
      line.count > titleCharactersMax ? "\(line.prefix(titleCharactersMax - 1))…" : String(line)
    }
    guard let to = title.firstRange(of: " to ") else { return ColumnTitle(title, inLine: cut(title[...])) }
    let lines = [cut(title[..<to.lowerBound] + " to"), cut(title[to.upperBound...])]
    return ColumnTitle(title, inLine: lines.joined(separator: " "), stacked: lines)
  }
}

extension ComparisonMetric {
  fileprivate var emphasis: Emphasis { isSignificant ? .strong : .plain }
}

extension CompareReport {
  /// Adds the verdict, and a chart of each difference with its interval.
  package static func addPictures(of rows: [ComparisonRow], in context: DocumentContext, to part: inout ReportSection) {
    if rows.count == 1 { part.figure = figure(of: rows[0]) }
    part.pictures = rows.flatMap { row -> [Picture] in
      let sentences = sentences(of: row).map(\.picture)
      let metrics = row.metrics.filter { $0.comparison != nil }
      guard !metrics.isEmpty else { return sentences }
      let plot = ForestPlot(
        rows: metrics.map { metric in
          ForestPlot.Row(
            label: metric.label, difference: metric.comparison.map { ($0.difference, $0.low, $0.high) },
            value: value(of: metric), isSignificant: metric.isSignificant)
        },
        less: "lower with \(row.b.title)", more: "higher with \(row.b.title)")
      return sentences + [
        .chart(
          "\(row.b.title) minus \(row.a.title), in points",
          "A line for each metric over the 95 % interval of its difference, with a dot at the difference; it is filled where the difference is more than chance",
          .forest(plot))
      ]
    }
  }

  /// Returns the primary metric of the compared side, and its distance from the baseline.
  private static func figure(of row: ComparisonRow) -> Phrase? {
    guard let metric = row.primary, let rate = metric.b?.rate, let comparison = metric.comparison else { return nil }
    let points = " \(HumanNumbers.points(comparison.difference)) points"
    return Phrase([.rate(rate, .strong), .text(points, metric.isSignificant ? .strong : .faint)])
  }

  private static func value(of metric: ComparisonMetric) -> String {
    guard let comparison = metric.comparison, let p = metric.holmP else { return "" }
    return "\(HumanNumbers.points(comparison.difference)), \(HumanNumbers.probabilityClause(p))"
  }
}
