import FunnelSystem

/// The damage that a tolerating reader has found in a store so far. Thread-safe.
package final class StoreDamage: Sendable {
  /// One range of unreadable data.
  package struct Entry: Hashable, Sendable {
    /// The path of the file inside the store.
    package var path: String
    /// The offset at which the damage begins, in bytes.
    package var offset: Int
    /// The number of the commit that wrote the data, or `nil` if it is unknown. Data derived from the log
    /// before the damage may still contain the events of that commit.
    package var commit: Int?
    /// The number of events that could not be read, or `nil` if the number is unknown.
    package var events: Int?
    /// The problem, as a clause: "a member's checksum does not match".
    package var reason: String
  }

  /// The key of an entry: the beginning of the damaged extent or member.
  struct Location: Hashable {
    var path: String
    var offset: Int
  }

  private let found = Guarded<[Location: Entry]>([:])

  init() {}

  /// Records an entry. Replaces an earlier one with the same key.
  func note(_ entry: Entry, at location: Location) {
    found.withLock { $0[location] = entry }
  }

  /// Records that a member was read, but `events` of its lines are not events.
  package func noteUnreadable(events: Int, path: String, offset: Int) {
    note(
      Entry(path: path, offset: offset, commit: nil, events: events, reason: "a gzip member has records that are not events"),
      at: Location(path: path, offset: offset))
  }

  /// The entries recorded so far, by path and offset.
  package var entries: [Entry] {
    found.withLock { $0.values.sorted { ($0.path, $0.offset) < ($1.path, $1.offset) } }
  }
}
