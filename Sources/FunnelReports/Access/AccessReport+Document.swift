import FunnelModel
import FunnelProjections

extension AccessReport {
  public static func document(of rows: [AccessRow], in context: DocumentContext) -> DocumentPart {
    var part = DocumentPart(Self.self)
    switch context.layout {
    case .compact:
      part.append(eachOf: rows) { row in
        sentences(of: row) + [.table(table(of: [(row.key.segment, row)]))] + hints(of: row)
      }
    case .long: part.blocks = [.table(table(of: rows.map { ($0.key.segment, $0) }))] + rows.flatMap { hints(of: $0) }
    }
    part.blocks.append(
      .explanation("Locked: the permission was denied or skipped. Undecided: not answered yet, or never asked"))
    part.blocks.append(
      .explanation(
        "The system asks only once: after a denial a feature can be unlocked only in Settings; those who skipped can be asked again"
      ))
    return part
  }

  /// Returns a block for each sentence of ``lockedOut(of:)``.
  private static func sentences(of row: AccessRow) -> [DocumentBlock] { lockedOut(of: row).map { .facts([Phrase($0)]) } }

  /// Returns a sentence for each permission about the groups that can't use its features, without a full stop.
  static func lockedOut(of row: AccessRow) -> [String] {
    var seen: Set<String> = []
    return row.features.filter { seen.insert($0.answers.permission).inserted }.map { feature in
      let answers = feature.answers
      let others = row.features.count { $0.answers.permission == answers.permission } - 1
      let name = feature.feature.replacing("_", with: " ") + (others > 0 ? " and \(others) more" : "")
      return "\(HumanNumbers.count(answers.locked)) of \(HumanNumbers.count(row.entered)) can't use \(name): "
        + "\(HumanNumbers.count(answers.settingsOnly)) can unlock it only in Settings, "
        + "\(HumanNumbers.count(answers.skipped)) can be asked again"
    }
  }

  private static func hints(of row: AccessRow) -> [DocumentBlock] {
    row.hints.filter { $0.groups > 0 }.map { hint in
      .facts([Phrase.count(hint.groups, "with limited \(hint.permission) see the hint “\(hint.hint)”")])
    }
  }

  private static func table(of rows: [(segment: [PropertyValue], row: AccessRow)]) -> DocumentTable {
    let columns: [TableColumn<FeatureAccess>] = [
      .label("Feature") { .label($0.feature) },
      TableColumn("Permission", role: .items, rank: 6) { .items([Phrase($0.answers.permission, .faint)]) },
      TableColumn("Open", rank: 1, hasBar: true) {
        .bar(.init(share: $0.answers.openShare?.value), .rate($0.answers.openShare))
      },
      .interval(rank: 4) { $0.answers.openShare },
      .count("Limited", rank: 5) { $0.answers.limited },
      .count("Locked") { $0.answers.locked },
      TableColumn(ColumnTitle("Of all", stacked: ["of", "all"]), rank: 3) { .rate($0.answers.lockedShare) },
      .count("Undecided", rank: 2) { $0.answers.undecided },
      .count(ColumnTitle("Can be asked", stacked: ["Can be", "asked"])) { $0.answers.askable },
      .count(ColumnTitle("Settings only", stacked: ["Settings", "only"])) { $0.answers.settingsOnly },
    ]
    return DocumentTable(columns, rows: rows.flatMap { segment, row in row.features.map { (segment, $0) } })
  }
}
