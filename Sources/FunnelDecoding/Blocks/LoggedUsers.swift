/// A user that events of an app name (specification section 13).
package struct LoggedUser: Hashable, Sendable {
  /// The app.
  package let app: String
  /// The user.
  package let name: String
  /// The hash of the user, which equals the hash of a subject with the same text (``EventRow/subject``).
  package let key: Hash128
}

/// The users of the events that a thread has decoded, numbered in the order of their first events.
struct LoggedUsers {
  private struct Key: Hashable {
    let app: Int
    let user: Hash128
  }

  private(set) var users: [LoggedUser] = []
  private var numberOfUser: [Key: UInt32] = [:]
  private var apps: [[UInt8]] = []

  /// Returns the index plus one of a user, adding it if it is new.
  ///
  /// - Parameter key: The hash of the user.
  mutating func number(of user: BorrowedText, app: BorrowedText, key: Hash128) -> UInt32 {
    let number = apps.firstIndex { $0.span.isEqual(to: app.span) } ?? apps.count
    if number == apps.count { apps.append(Array(app.raw)) }
    let full = Key(app: number, user: key)
    if let known = numberOfUser[full] { return known }
    users.append(LoggedUser(app: app.text, name: user.text, key: key))
    numberOfUser[full] = UInt32(users.count)
    return UInt32(users.count)
  }
}
