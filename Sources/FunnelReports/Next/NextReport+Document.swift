import FunnelModel
import FunnelProjections
package import FunnelRendering

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

    var barColor: DocumentCell.Color {
      if branch.event == .end { return .loss }
      return depth == 0 ? .regular : .light
    }
  }

  /// The share of a row's groups below which branches are merged into one line.
  private static let shownShareMin = 0.02

  package static func document(of rows: [NextRow], in context: DocumentContext) -> ReportSection {
    var part = ReportSection(Self.self)
    let noun = context.noun
    guard let path = context.query.path else { preconditionFailure("the report has the parameters of paths") }
    switch context.layout {
    case .compact:
      part.append(eachOf: rows) { row in
        [facts(of: row, context), .table(table(of: [row], path, noun))] + between([row], path, noun)
      }
    case .long:
      part.blocks =
        rows.map { facts(of: $0, context) } + [.table(table(of: rows, path, noun))] + between(rows, path, noun)
    }
    let completed =
      path.direction == .after
      ? ". Completed: took the last step of the flow afterwards, \(orderClause(of: context.query.order))" : ""
    let last = path.goal == nil ? "" : ". A path ends at \(path.goal?.description ?? "")"
    part.explain(
      "Share: of the \(noun.who) had the event one level up. Of all: of those who had \(path.key)\(completed)\(last)",
      endExplanation(of: rows, path))
    return part
  }

  /// Returns what the end of a path means, a sentence without a full stop that begins with its label.
  static func endExplanation(of rows: [NextRow], _ path: PathQuery) -> String {
    let window = TimeSpan(milliseconds: rows[0].windowMilliseconds).words
    return switch path.direction {
    case .after: "Nothing more: no further event within \(window) after \(path.key)"
    case .before: "Nothing before: no earlier event within \(window) before \(path.key)"
    }
  }

  /// Returns how the steps of a completed flow were taken.
  private static func orderClause(of order: StepOrder) -> String {
    switch order {
    case .ordered, .strict: "all steps in order"
    case .any: "the steps in any order"
    }
  }

  private static func facts(of row: NextRow, _ context: DocumentContext) -> DocumentBlock {
    guard let path = context.query.path else { preconditionFailure("the report has the parameters of paths") }
    let had = "\(HumanNumbers.count(row.groups)) had \(path.key)"
    var phrases =
      switch path.direction {
      case .after:
        [
          Phrase([
            .text("\(had) ", .plain), .arrow(.plain),
            .text(
              " \(HumanNumbers.count(row.completed)) completed the flow afterwards, \(orderClause(of: context.query.order))",
              .plain),
          ])
        ]
      case .before: [Phrase(had)]
      }
    if let goal = row.goal, let key = path.goal {
      phrases.append(Phrase("\(HumanNumbers.count(goal.groups)) had \(key) \(path.direction.adverb)"))
    }
    return .facts(phrases)
  }

  private static func table(of rows: [NextRow], _ path: PathQuery, _ noun: CountedNoun) -> DocumentTable {
    var columns: [TableColumn<Line>] = [
      .label("\(path.direction.rawValue.capitalizedFirst) \(path.key)") { .label(.init(phrase: $0.label, depth: $0.depth)) },
      TableColumn("Share", priority: .regular(1), hasBar: true) {
        .bar(
          .init(share: $0.branch.share, color: $0.barColor),
          .share($0.branch.share, of: $0.groups))
      },
      .count(ColumnTitle(noun.title)) { $0.branch.count },
      TableColumn("Of all", priority: .regular(3)) { .rate(Rate($0.branch.count, of: $0.all)) },
    ]
    // The events before the event say little about those who completed the flow after it.
    if path.direction == .after { columns.append(.count("Completed", priority: .regular(2)) { $0.branch.completed }) }
    return DocumentTable(columns, of: rows) { lines(of: $0, path.direction) }
  }

  /// The number of events between that are shown. JSON and CSV have up to 50.
  private static let betweenShownMax = 12

  /// Returns a table of the events between the event of the query and its goal, or nothing without one.
  private static func between(_ rows: [NextRow], _ path: PathQuery, _ noun: CountedNoun) -> [DocumentBlock] {
    let shown = rows.filter { $0.goal.map { !$0.between.isEmpty } ?? false }
    guard let goal = path.goal, !shown.isEmpty else { return [] }
    let ends = path.direction == .after ? (path.key, goal) : (goal, path.key)
    let columns: [TableColumn<(event: EventBetween, groups: Int)>] = [
      .label("Between \(ends.0) and \(ends.1)") { .label(.init(phrase: Phrase($0.event.event))) },
      TableColumn("Share", priority: .regular(1), hasBar: true) { line in
        let share = Rate.share(line.event.groups, of: line.groups)
        return .bar(.init(share: share, color: .regular), .share(share, of: line.groups))
      },
      .count(ColumnTitle(noun.title)) { $0.event.groups },
      .count("Times") { $0.event.events },
    ]
    return [
      .table(
        DocumentTable(columns, of: shown) { row in
          row.goal.map { goal in goal.between.prefix(betweenShownMax).map { ($0, goal.groups) } } ?? []
        })
    ]
  }

  /// Returns the lines of a row's tree.
  static func lines(of row: NextRow, _ direction: PathQuery.Direction) -> [Line] {
    lines(of: row.next, direction, of: row.groups, depth: 0, all: row.groups)
  }

  /// Returns the lines of branches in depth-first order. Small branches of a node share a line.
  private static func lines(
    of branches: [NextBranch], _ direction: PathQuery.Direction, of groups: Int, depth: Int, all: Int
  ) -> [Line] {
    func isSmall(_ branch: NextBranch) -> Bool {
      branch.event != .end && Double(branch.count) < shownShareMin * Double(all)
    }
    let small = branches.filter(isSmall)
    let isMerged = small.count > 1
    var lines: [Line] = []
    for branch in branches where branch.event != .end && !(isMerged && isSmall(branch)) {
      lines.append(Line(label: label(of: branch, direction), depth: depth, branch: branch, groups: groups, all: all))
      // Subtrees in which all paths end are omitted.
      if branch.next.contains(where: { $0.event != .end }) {
        lines += self.lines(of: branch.next, direction, of: branch.count, depth: depth + 1, all: all)
      }
    }
    if isMerged {
      let count = small.reduce(0) { $0 + $1.count }
      let merged = NextBranch(
        event: .other, count: count, share: Rate.share(count, of: groups),
        completed: small.reduce(0) { $0 + $1.completed })
      let label = Phrase("\(HumanNumbers.count(small.count)) rarer ones", .faint)
      lines.append(Line(label: label, depth: depth, branch: merged, groups: groups, all: all))
    }
    for branch in branches where branch.event == .end {
      lines.append(Line(label: label(of: branch, direction), depth: depth, branch: branch, groups: groups, all: all))
    }
    return lines
  }

  static func label(of branch: NextBranch, _ direction: PathQuery.Direction) -> Phrase {
    switch branch.event {
    case .named(let name): Phrase(name)
    case .other: Phrase("other events", .faint)
    case .end: Phrase(direction == .after ? "nothing more" : "nothing before", .faint)
    }
  }
}

extension PathQuery.Direction {
  /// Where the events of a path are, as an adverb.
  var adverb: String { self == .after ? "afterwards" : "before" }
}
