import FunnelModel
import FunnelProjections

/// The paths after an event, of the groups of one flow version in one segment.
public struct NextRow: ReportRow {
  public var key: RowKey
  public var title: String
  /// The number of groups that have the event.
  public var groups: Int
  /// The number of these groups that match the last required step after the event.
  public var completed: Int
  /// The events that follow, most frequent first.
  public var next: [NextBranch]

  public init(key: RowKey, title: String, groups: Int, completed: Int, next: [NextBranch]) {
    self.key = key
    self.title = title
    self.groups = groups
    self.completed = completed
    self.next = next
  }
}

/// A branch of the tree: the groups with the same path up to and including an event.
public struct NextBranch: Hashable, Sendable {
  /// The event, ``other`` for several merged events, or `nil` if no event follows.
  public var event: String?
  public var count: Int
  /// The count as a share of the groups of the parent.
  public var share: Double?
  public var completed: Int
  public var next: [NextBranch]

  /// The name of merged events. It is not a valid name of an event.
  public static let other = "(other)"

  public init(event: String?, count: Int, share: Double?, completed: Int, next: [NextBranch] = []) {
    self.event = event
    self.count = count
    self.share = share
    self.completed = completed
    self.next = next
  }
}

extension NextRow {
  /// A branch with its position in the tree.
  struct Line: Sendable {
    let branch: NextBranch
    /// The depth of the branch, from 1.
    let level: Int
    /// The events on the path to this branch, including its own.
    let path: [String]
  }

  /// All branches in depth-first order.
  var lines: [Line] { Self.lines(of: next, level: 1, path: []) }

  private static func lines(of branches: [NextBranch], level: Int, path: [String]) -> [Line] {
    branches.flatMap { branch in
      let own = path + (branch.event.map { [$0] } ?? [])
      return [Line(branch: branch, level: level, path: own)] + lines(of: branch.next, level: level + 1, path: own)
    }
  }
}
