import FunnelModel
import FunnelProjections

/// What the groups of one flow version in one segment do after an event.
public struct NextRow: ReportRow {
  public var key: RowKey
  public var title: String
  /// The groups that have the event.
  public var groups: Int
  /// Those of them that match the last required step after it.
  public var completed: Int
  /// The events that follow, most first.
  public var next: [NextBranch]

  public init(key: RowKey, title: String, groups: Int, completed: Int, next: [NextBranch]) {
    self.key = key
    self.title = title
    self.groups = groups
    self.completed = completed
    self.next = next
  }
}

/// The groups that have one event next, after the same events before.
public struct NextBranch: Hashable, Sendable {
  /// The event, ``other`` for several that are not told apart, or nil if nothing follows.
  public var event: String?
  public var count: Int
  /// The count as a share of the groups that have the events before.
  public var share: Double?
  public var completed: Int
  public var next: [NextBranch]

  /// The name of the events that are not told apart; no event has it.
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
  /// A branch with its place in the tree.
  struct Line: Sendable {
    let branch: NextBranch
    /// The number of branches on the way to this one, itself included.
    let level: Int
    /// The events on the way to this branch, its own included.
    let path: [String]
  }

  /// All branches, each followed by those that continue it.
  var lines: [Line] { Self.lines(of: next, level: 1, path: []) }

  private static func lines(of branches: [NextBranch], level: Int, path: [String]) -> [Line] {
    branches.flatMap { branch in
      let own = path + (branch.event.map { [$0] } ?? [])
      return [Line(branch: branch, level: level, path: own)] + lines(of: branch.next, level: level + 1, path: own)
    }
  }
}
