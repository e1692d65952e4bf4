import FunnelModel

/// The chain of one group, as indices into its journey.
///
/// A value is reused from journey to journey, so that matching allocates nothing.
public struct ChainMatch: Sendable {
  /// The number of required steps matched; 0 if the group has no anchor.
  public internal(set) var level = 0
  /// Whether the group has an anchor and it is in the period of the query, so that the group counts.
  public internal(set) var isCounted = false
  /// Whether the anchor is before the period, and an event in it enters the first required step: the group began again.
  public internal(set) var isReturning = false
  /// The event that ended the chain because the flow or the query excludes it; nil if none did.
  public internal(set) var exclusion: Int?
  /// The last moment inside the window, in milliseconds since the epoch.
  public internal(set) var deadline: Int64 = 0

  var positions: [Int]
  var scratch: [Int]

  /// Creates a match without steps.
  public init() {
    positions = Array(repeating: 0, count: Limits.flowStepsMax)
    scratch = positions
  }

  /// Returns the index of the event that matched the required step at a place of the chain; `place` must be less than ``level``.
  ///
  /// If steps come in any order, places are in the order of the matches: the first step entered has place 0.
  @inline(__always)
  public subscript(place: Int) -> Int { positions[place] }

  /// The index of the event at which the chain starts.
  @inline(__always)
  public var anchor: Int { positions[0] }
}
