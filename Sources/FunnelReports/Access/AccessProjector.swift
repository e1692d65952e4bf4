public import FunnelHistories
import FunnelModel
public import FunnelProjections

/// Counts which groups can use the features that need a permission (specification section 7).
public final class AccessProjector: Projector {
  public static let readsChain = true

  let query: FlowQuery
  /// The permissions that lock something, or whose limited access has a hint, with their place among the flow's permissions.
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
    reading.withAnswers(in: events) { answers, runs in
      contribution.beginSection(at: match.anchor)
      contribution.count(ids.entered)
      for (index, (_, permission)) in locks.enumerated() {
        guard answers.prompted >> UInt64(permission) & 1 == 1 else {
          contribution.count(ids.neverAsked(index))
          continue
        }
        if let outcome = answers.outcome(of: permission, runs[permission]) {
          contribution.count(ids.outcome(outcome, of: index))
        } else {
          // Whether the question is still open depends on the window that opens with it, not on the anchor's.
          contribution.beginSection(at: match.anchor, opening: runs[permission].prompt)
          contribution.count(ids.outcome(.unanswered, of: index), .ifClosed)
          contribution.count(ids.outcome(.inProgress, of: index), .ifOpen)
          contribution.beginSection(at: match.anchor)
        }
      }
    }
  }
}

/// The counter numbers of an access report, by the permissions that lock something.
struct AccessCounterIDs: Sendable {
  let lockCount: Int

  let entered = 0
  func neverAsked(_ lock: Int) -> Int { 1 + lock }
  func outcome(_ outcome: GrantOutcome, of lock: Int) -> Int {
    1 + lockCount + lock * GrantOutcome.allCases.count + outcome.rawValue
  }
  var counterCount: Int { 1 + lockCount * (1 + GrantOutcome.allCases.count) }
}
