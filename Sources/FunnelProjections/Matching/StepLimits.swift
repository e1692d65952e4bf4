import FunnelModel

/// The limits of a flow on a chain besides the conversion window: the time between two matches, and excluded events.
struct StepLimits: Sendable {
  /// The shortest time from the previous match, in milliseconds, by index of the required step; 0 if there is no limit.
  let minGaps: [Int64]
  /// The longest time from the previous match, in milliseconds, by index of the required step; `Int64.max` if there
  /// is no limit.
  let windows: [Int64]
  /// Whether a match depends on the time since the previous match.
  let hasTimes: Bool
  /// The exclusions of the flow. The index of an exclusion is its bit in ``EventClass/exclusions``.
  let exclusions: [Exclusion]

  /// An exclusion: its events end a chain if they come between the matches of two required steps.
  struct Exclusion: Sendable {
    /// The index of the earlier step among the required ones.
    let after: Int
    /// The index of the later step among the required ones.
    let before: Int
  }

  /// Creates the limits of a flow.
  init(flow: FlowDefinition) {
    let required = flow.requiredSteps
    minGaps = required.map { max(0, flow.steps[$0].minGap?.milliseconds ?? 0) }
    windows = required.map { flow.steps[$0].window?.milliseconds ?? .max }
    hasTimes = minGaps.contains { $0 > 0 } || windows.contains { $0 < .max }
    exclusions = flow.exclusions.map { exclusion in
      func index(of id: String?) -> Int? { id.flatMap { id in required.firstIndex { flow.steps[$0].id == id } } }
      return Exclusion(after: index(of: exclusion.after) ?? 0, before: index(of: exclusion.before) ?? required.count - 1)
    }
    precondition(exclusions.count <= Limits.flowExclusionsMax, "the exclusions of an event are a set of bits")
  }

  /// Returns the first and the last millisecond at which a required step may be matched.
  ///
  /// - Parameters:
  ///   - step: The index of the step among the required ones.
  ///   - milliseconds: The time of the previous match.
  ///   - window: The conversion window.
  @inline(__always)
  func range(ofStep step: Int, after milliseconds: Int64, within window: ConversionWindow) -> (earliest: Int64, latest: Int64) {
    (milliseconds.addingSaturating(minGaps[step]), min(window.end, milliseconds.addingSaturating(windows[step])))
  }
}
