import FunnelModel
import FunnelProjections

extension NextReport {
  /// A line of the table: a branch of the tree, or several merged small branches.
  struct Line {
    let label: Phrase
    let depth: Int
    let branch: NextBranch
    /// The denominator of the share.
    let groups: Int
    /// The number of groups at the root of the tree.
    let all: Int
  }

  /// The share of a row's groups below which branches are merged into one line.
  private static let shownShareMin = 0.02

  public static func document(of rows: [NextRow], in context: DocumentContext) -> DocumentPart {
    var part = DocumentPart(Self.self)
    let noun = context.noun
    let key = context.query.after?.description ?? "the event"
    switch context.layout {
    case .compact:
      part.append(eachOf: rows) { row in [facts(of: row, key: key), .table(table(of: [row], key: key, noun))] }
    case .long: part.blocks = rows.map { facts(of: $0, key: key) } + [.table(table(of: rows, key: key, noun))]
    }
    part.blocks.append(
      .explanation(
        "Share: of the \(noun.who) had the event one level up. Of all: of those who had \(key). Finished: reached the last step afterwards"
      ))
    return part
  }

  private static func facts(of row: NextRow, key: String) -> DocumentBlock {
    .facts([
      Phrase([
        .text("\(HumanNumbers.count(row.groups)) had \(key) ", .plain), .arrow(.plain),
        .text(" \(HumanNumbers.count(row.completed)) finished afterwards", .plain),
      ])
    ])
  }

  private static func table(of rows: [NextRow], key: String, _ noun: CountedNoun) -> DocumentTable {
    let columns: [TableColumn<Line>] = [
      .label("After \(key)") { .label(.init(phrase: $0.label, depth: $0.depth)) },
      TableColumn("Share", rank: 1, hasBar: true) {
        .bar(
          .init(share: $0.branch.share, color: $0.branch.event == nil ? .loss : $0.depth == 0 ? .regular : .light),
          .share($0.branch.share, of: $0.groups))
      },
      .count(ColumnTitle(noun.title)) { $0.branch.count },
      TableColumn("Of all", rank: 3) { .rate(Rate($0.branch.count, of: $0.all)) },
      .count("Finished", rank: 2) { $0.branch.completed },
    ]
    return DocumentTable(
      columns,
      rows: rows.flatMap { row in lines(of: row).map { (row.key.segment, $0) } }
    )
  }

  /// Returns the lines of a row's tree.
  static func lines(of row: NextRow) -> [Line] { lines(of: row.next, of: row.groups, depth: 0, all: row.groups) }

  /// Returns the lines of branches in depth-first order. Small branches of a node share a line.
  private static func lines(of branches: [NextBranch], of groups: Int, depth: Int, all: Int) -> [Line] {
    func isSmall(_ branch: NextBranch) -> Bool {
      branch.event != nil && Double(branch.count) < shownShareMin * Double(all)
    }
    let small = branches.filter(isSmall)
    let isMerged = small.count > 1
    var lines: [Line] = []
    for branch in branches where branch.event != nil && !(isMerged && isSmall(branch)) {
      lines.append(Line(label: label(of: branch), depth: depth, branch: branch, groups: groups, all: all))
      // Subtrees in which all paths end are omitted.
      if branch.next.contains(where: { $0.event != nil }) {
        lines += self.lines(of: branch.next, of: branch.count, depth: depth + 1, all: all)
      }
    }
    if isMerged {
      let count = small.reduce(0) { $0 + $1.count }
      let merged = NextBranch(
        event: NextBranch.other, count: count, share: Rate.share(count, of: groups),
        completed: small.reduce(0) { $0 + $1.completed })
      let label = Phrase("\(HumanNumbers.count(small.count)) rarer ones", .faint)
      lines.append(Line(label: label, depth: depth, branch: merged, groups: groups, all: all))
    }
    for branch in branches where branch.event == nil {
      lines.append(Line(label: label(of: branch), depth: depth, branch: branch, groups: groups, all: all))
    }
    return lines
  }

  private static func label(of branch: NextBranch) -> Phrase {
    switch branch.event {
    case nil: Phrase("nothing more", .faint)
    case NextBranch.other: Phrase("other events", .faint)
    case let event?: Phrase(event)
    }
  }
}
