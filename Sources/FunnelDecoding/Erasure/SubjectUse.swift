/// The events of a subject to forget, and the users that they name.
package struct SubjectUse: Sendable {
  /// The number of events.
  package var eventCount = 0
  /// The users.
  package var users: Set<[UInt8]> = []

  /// Creates the use of a subject without events.
  package init() {}

  /// Adds the events of another use.
  package mutating func add(_ other: SubjectUse) {
    eventCount += other.eventCount
    users.formUnion(other.users)
  }
}
