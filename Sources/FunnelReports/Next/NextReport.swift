import FunnelModel
import FunnelRendering

/// The report of `funnel report next`: the paths of groups after an event, or before it, as a tree.
package enum NextReport: NamedReport {
  package typealias Projector = NextProjector

  package static let name = "next"
  package static let heading = "Paths"
  package static let effectOfPeopleInProgress: String? =
    "what they do later is missing"

  package static let fields: [Field<NextRow>] = [
    .segment,
    .count("groups") { $0.groups },
    .count("completed") { $0.completed },
    .branches(
      "next", tree: { .array($0.next.map(tree)) },
      [
        .count("level") { $0.depth },
        .text("path") { $0.path.joined(separator: " > ") },
        .text("event") { $0.branch.event.name },
        .count("count") { $0.branch.count },
        .share("share") { $0.branch.share },
        .count("completed") { $0.branch.completed },
      ], { $0.lines }),
    .optionalTree("between") { row in row.goal.map { .array($0.between.map(tree)) } },
    .optionalCount("reached_goal") { $0.goal?.groups },
  ]

  private static func tree(of event: EventBetween) -> JSONValue {
    .object([("event", .text(event.event)), ("groups", .count(event.groups)), ("events", .count(event.events))])
  }

  private static func tree(of branch: NextBranch) -> JSONValue {
    .object([
      ("event", branch.event.name.map(JSONValue.text) ?? .null), ("count", .count(branch.count)),
      ("share", branch.share.map(JSONValue.number) ?? .null), ("completed", .count(branch.completed)),
      ("next", .array(branch.next.map(tree))),
    ])
  }
}

/// The paths after an event, of the groups of one flow version in one segment.
package struct NextRow: ReportRow {
  package var key: RowKey
  package var title: String
  /// The window within which events follow or precede, in milliseconds.
  package var windowMilliseconds: Int64
  /// The number of groups that have the event.
  package var groups: Int
  /// The number of these groups that match the last required step after the event.
  package var completed: Int
  /// The events that follow, or precede, most frequent first.
  package var next: [NextBranch]
  /// What is counted up to the goal, or `nil` if the query has no goal.
  package var goal: GoalPaths?
}

/// The groups of a row that reach the goal of the query.
package struct GoalPaths: Hashable, Sendable {
  /// The number of groups that have the goal after the event of the query and within the window, or before it.
  package var groups: Int
  /// The events between the two, with most occurrences first.
  package var between: [EventBetween]
}

/// An event between the event of the query and its goal.
package struct EventBetween: Hashable, Sendable {
  /// The name of the event, with its step.
  package var event: String
  /// The number of groups that have it there.
  package var groups: Int
  /// The number of such events.
  package var events: Int
}

/// A branch of the tree: the groups with the same path up to and including an event.
package struct NextBranch: Hashable, Sendable {
  /// The last event of a path.
  package enum Event: Hashable, Sendable {
    case named(String)
    /// Any of several rare events, which share a branch.
    case other
    /// No event: the path ends here.
    case end

    /// The name in JSON and CSV, or `nil` if no event follows.
    package var name: String? {
      switch self {
      case .named(let name): name
      // Parentheses are not valid in names of events.
      case .other: "(other)"
      case .end: nil
      }
    }
  }

  package var event: Event
  package var count: Int
  /// The count as a share of the groups of the parent.
  package var share: Double?
  package var completed: Int
  package var next: [NextBranch] = []
}

extension NextRow {
  /// A branch with its position in the tree.
  struct Line: Sendable {
    let branch: NextBranch
    /// The depth of the branch, from 1.
    let depth: Int
    /// The events on the path to this branch, including its own.
    let path: [String]
  }

  /// All branches in depth-first order.
  var lines: [Line] { Self.lines(of: next, depth: 1, path: []) }

  private static func lines(of branches: [NextBranch], depth: Int, path: [String]) -> [Line] {
    branches.flatMap { branch in
      let own = path + [branch.event.name].compactMap(\.self)
      return [Line(branch: branch, depth: depth, path: own)] + lines(of: branch.next, depth: depth + 1, path: own)
    }
  }
}
