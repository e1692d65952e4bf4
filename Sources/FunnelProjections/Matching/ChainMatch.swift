import FunnelModel

/// How far one group came: the chain that counts for it, as indices into its journey.
///
/// A value is reused from journey to journey, so that matching allocates nothing.
public struct ChainMatch: Sendable {
  /// The number of required steps matched; 0 where the group has no anchor.
  public internal(set) var level = 0
  /// The last moment inside the window, in milliseconds since the epoch.
  public internal(set) var deadline: Int64 = 0

  var positions: [Int]
  var scratch: [Int]

  /// A match of nothing.
  public init() {
    positions = Array(repeating: 0, count: Limits.flowStepsMax)
    scratch = positions
  }

  /// The index of the event that matched the required step at a place of the chain, `place` less than ``level``.
  ///
  /// Where steps come in any order, places are those of the match: the first step entered has place 0.
  @inline(__always)
  public subscript(place: Int) -> Int { positions[place] }

  /// The index of the event the chain starts at.
  @inline(__always)
  public var anchor: Int { positions[0] }
}
