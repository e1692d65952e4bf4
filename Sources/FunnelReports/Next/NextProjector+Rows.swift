import FunnelModel
public import FunnelProjections

extension NextProjector {
  public func rows(from segments: SegmentedCounts) -> [NextRow] {
    segments.sized(by: groups).map { counts in
      let all = counts.values(of: paths).counts.map { values, count in
        CountedPath(events: values.dropFirst().map(\.description)[...], isCompleted: values[0] == .bool(true), count: count)
      }
      return NextRow(
        key: RowKey(flow: query.flow, segment: counts.segment), title: query.flow.title, groups: counts[groups],
        completed: counts[completed], next: NextBranch.branches(of: all, depth: query.query.depth))
    }
  }
}

/// A path of consecutive events, with the number of groups that follow it.
private struct CountedPath {
  var events: ArraySlice<String>
  var isCompleted: Bool
  var count: Int
}

extension NextBranch {
  /// The maximum number of separate branches at a node of the tree. All other events are merged into ``other``.
  private static let branchesMax = 12

  /// Returns the branches of paths by their first event, most frequent first, followed by ``other`` and by the
  /// paths that end.
  fileprivate static func branches(of paths: [CountedPath], depth: Int) -> [NextBranch] {
    guard depth > 0 else { return [] }
    let all = paths.reduce(0) { $0 + $1.count }
    func branch(_ event: String?, _ paths: [CountedPath]) -> NextBranch {
      let count = paths.reduce(0) { $0 + $1.count }
      let remainders = paths.map { CountedPath(events: $0.events.dropFirst(), isCompleted: $0.isCompleted, count: $0.count) }
      return NextBranch(
        event: event, count: count, share: Rate.share(count, of: all),
        completed: paths.reduce(0) { $0 + ($1.isCompleted ? $1.count : 0) },
        next: event == nil ? [] : Self.branches(of: remainders, depth: depth - 1))
    }
    let byEvent = Dictionary(grouping: paths) { $0.events.first }
    let order = NamedCount.sorted(
      Dictionary(
        uniqueKeysWithValues: byEvent.compactMap { event, paths in event.map { ($0, paths.reduce(0) { $0 + $1.count }) } }))
    var branches = order.prefix(branchesMax).map { branch($0.name, byEvent[$0.name] ?? []) }
    let others = order.dropFirst(branchesMax).flatMap { byEvent[$0.name] ?? [] }
    if !others.isEmpty { branches.append(branch(other, others)) }
    if let ended = byEvent[nil] { branches.append(branch(nil, ended)) }
    return branches
  }
}
