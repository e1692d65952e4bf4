/// The parameters of the report `next`: the event at which paths begin, their direction, and where they end.
package struct PathQuery: Hashable, Sendable {
  /// The direction in which a path is followed.
  package enum Direction: String, Hashable, Sendable, CaseIterable {
    /// From the event to later ones.
    case after
    /// From the event to earlier ones.
    case before
  }

  /// The number of events of a path if none is given.
  package static let depthDefault = 3

  package var direction: Direction
  /// The event at which paths begin.
  package var key: EventKey
  /// The event at which a path ends, or `nil` if a path ends only with the window or ``depth``.
  package var goal: EventKey?
  /// The maximum number of events of a path, from 1 to ``Limits/pathEventsMax``.
  package var depth = PathQuery.depthDefault

  /// Creates the parameters of paths without a goal, with the default depth.
  package init(_ direction: Direction, _ key: EventKey) {
    self.direction = direction
    self.key = key
  }

  /// Returns the key if paths have a direction, otherwise `nil`.
  package func key(_ direction: Direction) -> EventKey? { self.direction == direction ? key : nil }
}
