public import FunnelHistories
import FunnelModel
public import FunnelProjections

/// Counts how groups answer each permission a flow asks for (specification section 3).
public final class GrantsProjector: Projector {
  public static let readsChain = false

  let query: FlowQuery
  let slots: GrantSlots
  private let reading: PermissionReading

  var permissions: [FlowPermission] { reading.permissions }

  public init(_ query: FlowQuery) {
    self.query = query
    reading = PermissionReading(query)
    let permissions = reading.permissions
    slots = GrantSlots(permissionCount: permissions.count, knowsSettings: !query.flow.settingsEvents.isEmpty)
  }

  public var counterCount: Int { slots.counterCount }
  public var durationCount: Int { slots.durationCount }

  public func outline(
    _ events: UnsafeBufferPointer<JourneyEvent>, along chain: ChainMatch, into outline: inout Outline
  ) {
    guard !permissions.isEmpty else { return }
    reading.withAnswers(in: events) { answers, runs in
      outlineUnprimed(answers.unprimed, into: &outline)
      var rest = reading.countedPermissions(answers, runs)
      while rest != 0 {
        let permission = rest.trailingZeroBitCount
        rest &= rest - 1
        self.outline(permission, runs[permission], outcome: answers.outcome(of: permission, runs[permission]), into: &outline)
      }
    }
  }

  /// Whether unprimed groups are counted. They have no pre-prompt to determine their segment, or when their window closes, so they are
  /// counted only if there is one segment, whether closed or not.
  var countsUnprimed: Bool { query.hasOneSegment && !query.clock.countsClosedOnly }

  private func outlineUnprimed(_ unprimed: UInt64, into outline: inout Outline) {
    guard unprimed != 0, countsUnprimed else { return }
    outline.beginPart(at: 0)
    var rest = unprimed
    while rest != 0 {
      outline.count(slots.unprimed(rest.trailingZeroBitCount))
      rest &= rest - 1
    }
  }

  private func outline(
    _ permission: Int, _ run: PermissionEvents, outcome: GrantOutcome?, into outline: inout Outline
  ) {
    outline.beginPart(at: run.prompt)
    outline.count(slots.prompted(permission))
    outline.count(slots.promptedOpen(permission), .ifOpen)
    guard let outcome else {
      outline.count(slots.outcome(.unanswered, of: permission), .ifClosed)
      outline.count(slots.outcome(.inProgress, of: permission), .ifOpen)
      return
    }
    outline.count(slots.outcome(outcome, of: permission))
    if let first = run.firstDecision {
      if outcome == .granted { outline.count(slots.grantedOpen(permission), .ifOpen) }
      if run.isRecovered {
        outline.count(slots.recovered(permission))
        if run.isDecidedInSettings, let counter = slots.recoveredViaSettings(permission) { outline.count(counter) }
      }
      outline.time(slots.decisionTime(permission), from: run.prompt, to: first.event)
    }
  }
}
