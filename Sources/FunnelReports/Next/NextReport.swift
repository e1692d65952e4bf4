import FunnelModel
import FunnelProjections

/// The report of `funnel report next --after KEY`: the paths of groups after an event, as a tree.
public enum NextReport: NamedReport {
  public typealias Projector = NextProjector

  public static let name = "next"
  public static let heading = "What came next"
  public static let effectOfPeopleInProgress: String? =
    "what they do later is missing"

  public static let fields: [Field<NextRow>] = [
    .segment,
    .count("groups") { $0.groups },
    .count("completed") { $0.completed },
    .branches(
      "next", tree: { .array($0.next.map(tree)) },
      [
        .count("level") { $0.level },
        .text("path") { $0.path.joined(separator: " > ") },
        .text("event") { $0.branch.event },
        .count("count") { $0.branch.count },
        .share("share") { $0.branch.share },
        .count("completed") { $0.branch.completed },
      ], { $0.lines }),
  ]

  private static func tree(of branch: NextBranch) -> FieldTree {
    .object([
      ("event", branch.event.map(FieldTree.text) ?? .null), ("count", .count(branch.count)),
      ("share", branch.share.map(FieldTree.number) ?? .null), ("completed", .count(branch.completed)),
      ("next", .array(branch.next.map(tree))),
    ])
  }
}
