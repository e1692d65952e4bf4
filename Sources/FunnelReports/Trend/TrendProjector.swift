public import FunnelHistories
import FunnelModel
public import FunnelProjections

/// Counts entries, completions and grants by the day on which they began, which can be summed to any longer
/// unit (specification section 7).
///
/// The day is the last dimension of the query (``TrendReport/counted(_:)``).
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
    reading.withAnswers(in: events) { answers, permissionEvents in
      let counted = reading.countedPermissions(answers, permissionEvents)
      for permission in permissions.indices where counted >> UInt64(permission) & 1 == 1 {
        contribution.beginSection(at: permissionEvents[permission].prompt)
        contribution.count(ids.prompted(permission))
        let outcome = answers.outcome(of: permission, permissionEvents[permission])
        if outcome == .granted { contribution.count(ids.granted(permission)) }
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

/// The counter IDs of a trend report.
struct TrendCounterIDs: Sendable {
  let permissionCount: Int

  let entered = 0
  let completed = 1
  let dropped = 2
  let inProgress = 3
  let excluded = 4
  private let permissionBase = 5
  /// Returns the counter of groups with a pre-prompt of a permission.
  func prompted(_ permission: Int) -> Int { permissionBase + permission }
  /// Returns the counter of groups that granted a permission.
  func granted(_ permission: Int) -> Int { permissionBase + permissionCount + permission }
  var counterCount: Int { permissionBase + 2 * permissionCount }
}
