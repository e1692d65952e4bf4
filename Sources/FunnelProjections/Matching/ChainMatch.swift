import FunnelModel

/// The events of one group that match the required steps of a flow, as indices into the group's events.
///
/// ``StepMatcher/match(_:into:)`` fills it. Reuse a value for all groups, because matching then allocates nothing.
package struct ChainMatch: Sendable {
  /// The matched step count: the number of required steps matched, or 0 if the group has no anchor.
  package internal(set) var matchedStepCount = 0
  /// Whether the group has an anchor in the period of the query, so the group counts.
  package internal(set) var isCounted = false
  /// Whether the anchor is before the period of the query, and an event in the period enters the first required step.
  package internal(set) var isReturning = false
  /// The index of the excluded event that ended the chain, or `nil` if none did.
  package internal(set) var exclusion: Int?
  /// The conversion window, which opens at the anchor. Valid only if ``matchedStepCount`` is not 0.
  var window = ConversionWindow.empty

  /// The indices of the matches; the first ``matchedStepCount`` are valid.
  @usableFromInline var positions: [Int]
  /// Scratch memory of the matcher, as long as ``positions``.
  var scratch: [Int]

  /// Creates an empty match with room for the steps of any flow.
  package init() {
    positions = Array(repeating: 0, count: Limits.flowStepsMax)
    scratch = positions
  }

  /// Returns the index of the event that is the match at an index of the chain.
  ///
  /// The matches are in the order of the required steps; if steps may be entered in any order, in the order of time.
  ///
  /// - Parameter index: The index of the match, less than ``matchedStepCount``.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Int {
    assert(index < matchedStepCount, "the chain has a match at the index")
    return positions[index]
  }

  /// The index of the event at which the chain starts. Requires that ``matchedStepCount`` is not 0.
  @inlinable @inline(__always)
  package var anchor: Int { self[0] }

  /// The index of the last match. Requires that ``matchedStepCount`` is not 0.
  package var last: Int { self[matchedStepCount - 1] }
}
