public import FunnelHistories
import FunnelModel
public import FunnelProjections

/// Counts entries, completions and grants by the day on which they began, from which any longer unit follows (specification section 7).
///
/// The day is the last dimension of the query by which groups are counted (``TrendReport/counted(_:)``).
public final class TrendProjector: Projector {
  public static let readsChain = true

  let query: FlowQuery
  let slots: TrendSlots
  private let reading: PermissionReading

  var permissions: [FlowPermission] { reading.permissions }

  public init(_ query: FlowQuery) {
    self.query = query
    reading = PermissionReading(query)
    slots = TrendSlots(permissionCount: reading.permissions.count)
  }

  public var counterCount: Int { slots.counterCount }
  public var durationCount: Int { 0 }

  public func outline(
    _ events: UnsafeBufferPointer<JourneyEvent>, along match: ChainMatch, into outline: inout Outline
  ) {
    if match.isCounted { outlineChain(of: events, match, into: &outline) }
    guard !permissions.isEmpty else { return }
    reading.withAnswers(in: events) { answers, runs in
      let counted = reading.countedPermissions(answers, runs)
      for permission in permissions.indices where counted >> UInt64(permission) & 1 == 1 {
        outline.beginPart(at: runs[permission].prompt)
        outline.count(slots.prompted(permission))
        if answers.outcome(of: permission, runs[permission]) == .granted { outline.count(slots.granted(permission)) }
      }
    }
  }

  private func outlineChain(
    of events: UnsafeBufferPointer<JourneyEvent>, _ match: ChainMatch, into outline: inout Outline
  ) {
    outline.beginPart(at: match.anchor)
    outline.count(slots.entered)
    switch query.matcher.ending(of: events, along: match) {
    case .completed: outline.count(slots.completed)
    case .excluded: outline.count(slots.excluded)
    case .ended: outline.count(slots.dropped)
    case .open:
      outline.count(slots.dropped, .ifClosed)
      outline.count(slots.inProgress, .ifOpen)
    }
  }
}

/// The counter numbers of a trend.
struct TrendSlots: Sendable {
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
