import FunnelModel
import FunnelProjections

extension CompareReport {
  public static func document(of rows: [ComparisonRow], in context: DocumentContext) -> DocumentPart {
    var part = DocumentPart(Self.self)
    for row in rows {
      let isClosedOnly = context.query.isMature
      if let warning = ComparisonText.warning(of: row), !context.hasPictures { part.blocks.append(.warning(warning)) }
      part.blocks.append(
        .facts([
          Phrase(row.dimension), Phrase.count(row.a.entered, "of \(row.a.label) (the baseline)"),
          Phrase.count(row.b.entered, "of \(row.b.label)"),
        ]))
      part.blocks.append(.table(table(of: row)))
      if let sentence = ComparisonText.conversion(of: row, isClosedOnly: isClosedOnly), !context.hasPictures {
        part.blocks.append(.statement(sentence))
      }
      part.blocks.append(.explanation(explanation(isClosedOnly: isClosedOnly)))
      if let explanation = explanation(of: row) { part.blocks.append(.explanation(explanation)) }
    }
    return part
  }

  private static func explanation(isClosedOnly: Bool) -> String {
    let counted =
      isClosedOnly ? "Only groups whose window has closed count" : "Groups under way count too, as not converted so far"
    return "\(counted); reached is of those who entered, grant and access rates are of those who were asked, "
      + "in dialog is of those who answered the system's dialog"
  }

  private static func explanation(of row: ComparisonRow) -> String? {
    let tests = row.metrics.count { $0.comparison != nil }
    guard tests > 0 else { return nil }
    return "The difference is in points, with its 95 % interval after Newcombe; p is how often chance alone would make one as "
      + "large, after Holm corrected for the \(tests == 1 ? "one number" : "\(tests) numbers") tested at once"
  }

  private static func table(of row: ComparisonRow) -> DocumentTable {
    let columns: [TableColumn<ComparisonMetric>] = [
      .label("Metric") { .label($0.label) },
      share(row.a.label) { $0.a },
      share(row.b.label) { $0.b },
      TableColumn("Difference") { metric in
        .text(metric.comparison.map { HumanNumbers.points($0.difference) } ?? "", metric.emphasis)
      },
      TableColumn(
        ColumnTitle("95 % interval", stacked: ["95 %", "interval"], alone: ["Difference,", "95 % interval"]), rank: 2
      ) { metric in
        .text(
          metric.comparison.map { "\(HumanNumbers.points($0.low)) to \(HumanNumbers.points($0.high))" } ?? "", .faint)
      },
      TableColumn("p", rank: 1) { metric in .text(metric.comparison.map { HumanNumbers.probability($0.p) } ?? "no test", .faint)
      },
      TableColumn(ColumnTitle("p after Holm", stacked: ["after", "Holm"], alone: ["p after", "Holm"])) { metric in
        .text(metric.holmP.map { HumanNumbers.probability($0) } ?? "", metric.emphasis)
      },
      TableColumn(ColumnTitle("Needed a side", stacked: ["Needed", "a side"]), rank: 3) { metric in
        guard let comparison = metric.comparison else { return .empty }
        guard let needed = comparison.neededPerSide else { return .count(nil, .faint) }
        return .text(ComparisonText.needed(needed), .faint)
      },
    ]
    return DocumentTable(columns, rows: row.metrics.map { ([], $0) })
  }

  private static func share(
    _ label: String, _ share: @escaping (ComparisonMetric) -> ComparedShare?
  ) -> TableColumn<ComparisonMetric> {
    TableColumn(title(label)) { metric in
      share(metric).map { .rateOfGroups($0.rate, groups: $0.total) } ?? .empty
    }
  }

  /// The longest line of a title; a longer one is cut.
  private static let titleCharactersMax = 24

  /// Returns the title of a side's column; that of a period is in two lines where there is little room.
  private static func title(_ label: String) -> ColumnTitle {
    func cut(_ line: Substring) -> String {
      line.count > titleCharactersMax ? "\(line.prefix(titleCharactersMax - 1))…" : String(line)
    }
    guard let dots = label.firstRange(of: "..") else { return ColumnTitle(label, inLine: cut(label[...])) }
    let lines = [cut(label[..<dots.upperBound]), cut(label[dots.upperBound...])]
    return ColumnTitle(label, inLine: lines.joined(), stacked: lines)
  }
}

extension ComparisonMetric {
  /// Whether the difference is more than chance, all metrics of the row considered.
  var isSignificant: Bool { holmP.map { $0 <= Self.alpha } ?? false }

  fileprivate var emphasis: Emphasis { isSignificant ? .strong : .plain }
}
