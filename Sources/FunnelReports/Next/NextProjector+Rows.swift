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

/// The events that a number of groups have one after the other.
private struct CountedPath {
  var events: ArraySlice<String>
  var isCompleted: Bool
  var count: Int
}

extension NextBranch {
  /// The number of branches that are told apart at one place of the tree.
  private static let toldMax = 12

  /// Returns the branches in which paths go on: by their first event, most first, then ``other``, then the paths that have ended.
  fileprivate static func branches(of paths: [CountedPath], depth: Int) -> [NextBranch] {
    guard depth > 0 else { return [] }
    let all = paths.reduce(0) { $0 + $1.count }
    func branch(_ event: String?, _ paths: [CountedPath]) -> NextBranch {
      let count = paths.reduce(0) { $0 + $1.count }
      let rest = paths.map { CountedPath(events: $0.events.dropFirst(), isCompleted: $0.isCompleted, count: $0.count) }
      return NextBranch(
        event: event, count: count, share: Rate.share(count, of: all),
        completed: paths.reduce(0) { $0 + ($1.isCompleted ? $1.count : 0) },
        next: event == nil ? [] : Self.branches(of: rest, depth: depth - 1))
    }
    let byEvent = Dictionary(grouping: paths) { $0.events.first }
    let order = NamedCount.sorted(
      Dictionary(
        uniqueKeysWithValues: byEvent.compactMap { event, paths in event.map { ($0, paths.reduce(0) { $0 + $1.count }) } }))
    var branches = order.prefix(toldMax).map { branch($0.name, byEvent[$0.name] ?? []) }
    let others = order.dropFirst(toldMax).flatMap { byEvent[$0.name] ?? [] }
    if !others.isEmpty { branches.append(branch(other, others)) }
    if let ended = byEvent[nil] { branches.append(branch(nil, ended)) }
    return branches
  }
}
