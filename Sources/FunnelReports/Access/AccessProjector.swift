public import FunnelHistories
import FunnelModel
public import FunnelProjections

/// Counts which groups can use the features that need a permission (specification section 7).
public final class AccessProjector: Projector {
  public static let readsChain = true

  let query: FlowQuery
  /// The permissions that lock a feature or have a hint about limited access, with their index in the flow's
  /// permissions.
  let locks: [(lock: FlowDefinition.Lock, permission: Int)]
  let ids: AccessCounterIDs
  private let reading: PermissionReading

  public init(_ query: FlowQuery) {
    self.query = query
    reading = PermissionReading(query)
    let permissions = reading.permissions
    let flow = query.flow
    locks =
      flow.locks.isEmpty
      ? []
      : permissions.indices.compactMap { permission in
        let name = permissions[permission].name
        let lock = flow.locks.first { $0.permission == name }
        guard lock != nil || flow.hint(ofPermission: name) != nil else { return nil }
        return (lock ?? FlowDefinition.Lock(permission: name), permission)
      }
    ids = AccessCounterIDs(lockCount: locks.count)
  }

  public var counterCount: Int { ids.counterCount }
  public var durationCount: Int { 0 }

  public func contribute(
    _ events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch, into contribution: inout Contribution
  ) {
    guard match.isCounted, !locks.isEmpty else { return }
    reading.withAnswers(in: events) { answers, permissionEvents in
      contribution.beginSection(at: match.anchor)
      contribution.count(ids.entered)
      for (index, (_, permission)) in locks.enumerated() {
        guard answers.prompted >> UInt64(permission) & 1 == 1 else {
          contribution.count(ids.neverAsked(index))
          continue
        }
        if let outcome = answers.outcome(of: permission, permissionEvents[permission]) {
          contribution.count(ids.outcome(outcome, of: index))
        } else {
          // Whether the request can still be answered depends on the window that starts with it, not with the anchor.
          contribution.beginSection(at: match.anchor, opening: permissionEvents[permission].prompt)
          contribution.count(ids.outcome(.unanswered, of: index), .ifClosed)
          contribution.count(ids.outcome(.inProgress, of: index), .ifOpen)
          contribution.beginSection(at: match.anchor)
        }
      }
    }
  }
}

/// The counter IDs of an access report, by index of the lock.
struct AccessCounterIDs: Sendable {
  let lockCount: Int

  let entered = 0
  private let lockBase = 1

  /// Returns the counter of groups that were never asked for the permission of a lock.
  func neverAsked(_ lock: Int) -> Int { lockBase + lock }

  /// Returns the counter of groups with an outcome of the permission of a lock.
  func outcome(_ outcome: GrantOutcome, of lock: Int) -> Int {
    lockBase + lockCount + lock * GrantOutcome.allCases.count + outcome.rawValue
  }

  var counterCount: Int { lockBase + lockCount * (1 + GrantOutcome.allCases.count) }
}
