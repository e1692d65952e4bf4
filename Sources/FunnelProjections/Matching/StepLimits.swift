import FunnelModel

/// What limits a chain besides the conversion window: how long after the match before a step may be matched, and events that end the chain.
struct StepLimits: Sendable {
  /// The shortest time from the match before, in milliseconds, by place among the required steps.
  let minGaps: [Int64]
  /// The longest time from the match before, in milliseconds, by place among the required steps.
  let windows: [Int64]
  let exclusions: [Exclusion]

  /// An event that ends a chain between the matches of two steps.
  struct Exclusion: Sendable {
    /// The places of the steps among the required ones.
    let after: Int
    let before: Int
  }

  init(flow: FlowDefinition) {
    let required = flow.requiredSteps
    minGaps = required.map { max(0, flow.steps[$0].minGap?.milliseconds ?? 0) }
    windows = required.map { flow.steps[$0].window?.milliseconds ?? .max }
    exclusions = flow.exclusions.map { exclusion in
      func place(of id: String?) -> Int? { id.flatMap { id in required.firstIndex { flow.steps[$0].id == id } } }
      return Exclusion(after: place(of: exclusion.after) ?? 0, before: place(of: exclusion.before) ?? required.count - 1)
    }
    precondition(exclusions.count <= Limits.flowExclusionsMax, "the exclusions of an event are a set of bits")
  }

  /// Whether a match depends on the time since the match before.
  var hasTimes: Bool { minGaps.contains { $0 > 0 } || windows.contains { $0 < .max } }

  /// Returns the moments between which the step at a place may be matched after a match.
  @inline(__always)
  func range(at place: Int, after milliseconds: Int64, deadline: Int64) -> (earliest: Int64, latest: Int64) {
    (Self.sum(milliseconds, minGaps[place]), min(deadline, Self.sum(milliseconds, windows[place])))
  }

  @inline(__always)
  private static func sum(_ milliseconds: Int64, _ span: Int64) -> Int64 {
    let (sum, overflow) = milliseconds.addingReportingOverflow(span)
    return overflow ? .max : sum
  }
}
