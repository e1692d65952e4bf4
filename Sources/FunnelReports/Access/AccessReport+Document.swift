import FunnelModel
package import FunnelRendering

extension AccessReport {
  package static func document(of rows: [AccessRow], in context: DocumentContext) -> ReportSection {
    var part = ReportSection(Self.self)
    part.append(
      rows, in: context.layout, facts: { lockedOut(of: $0).map { .facts([Phrase($0)]) } }, details: hints, table: table)
    part.explain(
      "Locked: the permission was denied or skipped. Undecided: not answered yet, or never asked",
      "The system asks only once: after a denial a feature can be unlocked only in Settings; those who skipped can be asked again"
    )
    return part
  }

  /// Returns a sentence for each permission about the groups that can't use its features, without a full stop.
  private static func lockedOut(of row: AccessRow) -> [String] {
    row.answersByPermission.map { answers in
      let features = row.features.filter { $0.answers.permission == answers.permission }
      let others = features.count - 1
      let name = features[0].feature.replacing("_", with: " ") + (others > 0 ? " and \(others) more" : "")
      return "\(HumanNumbers.count(answers.locked)) of \(HumanNumbers.count(row.entered)) can't use \(name): "
        + "\(HumanNumbers.count(answers.settingsOnly)) can unlock it only in Settings, "
        + "\(HumanNumbers.count(answers.skipped)) can be asked again\(undecided(of: answers))"
    }
  }

  /// Returns a clause about the groups without a decision, or an empty text if there are none.
  private static func undecided(of answers: AccessAnswers) -> String {
    let (undecided, neverAsked) = (answers.undecided, answers.neverAsked)
    guard undecided > 0 else { return "" }
    if undecided == neverAsked { return "; \(HumanNumbers.count(undecided)) \(undecided == 1 ? "was" : "were") never asked" }
    let clause = "; \(HumanNumbers.count(undecided)) \(undecided == 1 ? "has" : "have") not answered yet"
    return neverAsked == 0 ? clause : "\(clause), \(HumanNumbers.count(neverAsked)) of them never asked"
  }

  private static func hints(of row: AccessRow) -> [DocumentBlock] {
    row.hints.filter { $0.groups > 0 }.map { hint in
      .facts([Phrase.count(hint.groups, "with limited \(hint.permission) see the hint “\(hint.hint)”")])
    }
  }

  private static func table(of rows: [AccessRow]) -> DocumentTable {
    let columns: [TableColumn<FeatureAccess>] = [
      .label("Feature") { .label($0.feature) },
      TableColumn("Permission", role: .items, priority: .extra(3)) { .items([Phrase($0.answers.permission, .faint)]) },
      TableColumn("Open", priority: .regular(1), hasBar: true) {
        .bar(.init(share: $0.answers.openShare?.value), .rate($0.answers.openShare))
      },
      .interval(priority: .extra(1)) { $0.answers.openShare },
      .count("Limited", priority: .extra(2)) { $0.answers.limited },
      .count("Locked") { $0.answers.locked },
      TableColumn(ColumnTitle("Of all", stacked: ["of", "all"]), priority: .regular(3)) { .rate($0.answers.lockedShare) },
      .count("Undecided", priority: .regular(2)) { $0.answers.undecided },
      .count(ColumnTitle("Can be asked", stacked: ["Can be", "asked"])) { $0.answers.askable },
      .count(ColumnTitle("Settings only", stacked: ["Settings", "only"])) { $0.answers.settingsOnly },
    ]
    return DocumentTable(columns, of: rows, lines: \.features)
  }

  // MARK: - Pictures

  /// Adds a bar for each permission, divided by access, and sentences about the groups that are locked out.
  package static func addPictures(of rows: [AccessRow], in context: DocumentContext, to part: inout ReportSection) {
    part.pictures = Picture.of(rows, by: context.query.by) { row in
      guard !row.features.isEmpty, row.entered > 0 else { return [] }
      let parts: [BarChart.Part] = [
        .init(name: "open", ink: .good), .init(name: "limited", ink: .partial), .init(name: "undecided", ink: .open),
        .init(name: "skipped, can be asked again", ink: .detour), .init(name: "denied, only in Settings", ink: .refusal),
      ]
      return lockedOut(of: row).map { .statement($0) } + [
        .chart(
          "Access, of those who entered",
          "One bar per permission, divided into the \(context.noun.who) have access, are undecided or are locked out",
          .bars(BarChart(parts: parts, bars: row.answersByPermission.map(bar))))
      ]
    } bySegment: { segments in
      let permissions = segments.segments[0].row.answersByPermission.map(\.permission)
      return segments.chart(
        "Access, of those who entered",
        "A bar for each permission and segment, showing the share of the \(context.noun.who) have access",
        labels: permissions
      ) { index, segment in
        let answers = segment.row.answersByPermission.first { $0.permission == permissions[index] }
        return answers.map { segment.bar($0.open, of: $0.entered, interval: $0.openShare) }
      }
    }
  }

  private static func bar(of answers: AccessAnswers) -> BarChart.Bar {
    let value = answers.openShare.map { rate in
      Phrase([.text("open to ", .plain), .rate(rate, .strong)])
    }
    return BarChart.Bar(
      label: .init(phrase: Phrase(answers.permission)),
      lengths: [answers.granted, answers.limited, answers.undecided, answers.skipped, answers.denied].map(Double.init),
      whole: Double(answers.entered), value: value ?? Phrase([.absent]))
  }
}
