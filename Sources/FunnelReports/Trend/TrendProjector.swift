public import FunnelHistories
import FunnelModel
public import FunnelProjections

/// Counts entries, completions and grants by the day on which they began, from which any longer unit follows (specification section 7).
///
/// The day is the last dimension of the query by which groups are counted (``TrendReport/counted(_:)``).
public final class TrendProjector: Projector {
  public static let readsChain = true

  let query: FlowQuery
  let ids: TrendCounterIDs
  private let reading: PermissionReading

  var permissions: [FlowPermission] { reading.permissions }

  public init(_ query: FlowQuery) {
    self.query = query
    reading = PermissionReading(query)
    ids = TrendCounterIDs(permissionCount: reading.permissions.count)
  }

  public var counterCount: Int { ids.counterCount }
  public var durationCount: Int { 0 }

  public func contribute(
    _ events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch, into contribution: inout Contribution
  ) {
    if match.isCounted { contributeChain(of: events, match, into: &contribution) }
    guard !permissions.isEmpty else { return }
    reading.withAnswers(in: events) { answers, runs in
      let counted = reading.countedPermissions(answers, runs)
      for permission in permissions.indices where counted >> UInt64(permission) & 1 == 1 {
        contribution.beginSection(at: runs[permission].prompt)
        contribution.count(ids.prompted(permission))
        if answers.outcome(of: permission, runs[permission]) == .granted { contribution.count(ids.granted(permission)) }
      }
    }
  }

  private func contributeChain(
    of events: UnsafeBufferPointer<FlowEvent>, _ match: ChainMatch, into contribution: inout Contribution
  ) {
    contribution.beginSection(at: match.anchor)
    contribution.count(ids.entered)
    switch query.matcher.ending(of: events, along: match) {
    case .completed: contribution.count(ids.completed)
    case .excluded: contribution.count(ids.excluded)
    case .ended: contribution.count(ids.dropped)
    case .open:
      contribution.count(ids.dropped, .ifClosed)
      contribution.count(ids.inProgress, .ifOpen)
    }
  }
}

/// The counter numbers of a trend.
struct TrendCounterIDs: Sendable {
  let permissionCount: Int

  let entered = 0
  let completed = 1
  let dropped = 2
  let inProgress = 3
  let excluded = 4
  func prompted(_ permission: Int) -> Int { 5 + permission }
  func granted(_ permission: Int) -> Int { 5 + permissionCount + permission }
  var counterCount: Int { 5 + 2 * permissionCount }
}
