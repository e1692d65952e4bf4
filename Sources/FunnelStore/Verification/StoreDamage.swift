import FunnelSystem

/// What of a store's log could not be read. A reader that tolerates damage fills it as it reads.
public final class StoreDamage: Sendable {
  /// One stretch that could not be read.
  public struct Entry: Hashable, Sendable {
    /// The file, below the store.
    public var path: String
    /// Where the damage begins, in bytes.
    public var offset: Int
    /// The commit that wrote it; what is derived from the log up to a commit may have it still. For the journal, a commit that never was.
    public var commit: Int
    /// How many events could not be read; nil where nobody knows.
    public var events: Int?
    /// What is wrong, as a clause: "a member's checksum does not match".
    public var reason: String
  }

  /// What an entry is about: where the extent or the member begins that it was noted for.
  struct Place: Hashable {
    var path: String
    var offset: Int
  }

  private let found = Guarded<[Place: Entry]>([:])

  init() {}

  /// Notes an entry, in place of what was noted about the same place before.
  func note(_ entry: Entry, at place: Place) {
    found.withLock { $0[place] = entry }
  }

  /// Notes that so many lines of a member were read whole and are no events.
  package func noteUnreadable(events: Int, path: String, offset: Int) {
    note(
      Entry(path: path, offset: offset, commit: .max, events: events, reason: "records of a member are no events"),
      at: Place(path: path, offset: offset))
  }

  /// Everything that was noted so far, by path and place.
  public var entries: [Entry] {
    found.withLock { $0.values.sorted { ($0.path, $0.offset) < ($1.path, $1.offset) } }
  }
}
