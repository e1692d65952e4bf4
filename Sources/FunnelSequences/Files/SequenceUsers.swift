import FunnelDecoding
import FunnelIndex
import FunnelModel

/// The users that the events of files name, numbered from 1 for all threads.
struct SequenceUsers: Sendable {
  private struct Key: Hashable {
    let app: String
    let user: Hash128
  }

  private var users: [LoggedUser] = []
  private var numberOfUser: [Key: UInt32] = [:]
  /// The only subject that names each user, or `nil` if there are several, or if the user is a subject too.
  private var onlySubject: [Hash128?] = []
  /// The numbers of the users with a hash.
  private var numbersOfKey: [Hash128: [UInt32]] = [:]

  /// Whether no event names a user.
  var isEmpty: Bool { users.isEmpty }

  /// The apps of the users.
  var apps: Set<String> { Set(users.map(\.app)) }

  /// Returns the number of a user, adding it if it is new.
  mutating func number(of user: LoggedUser, namedBy subject: Hash128) -> UInt32 {
    let key = Key(app: user.app, user: user.key)
    if let known = numberOfUser[key] { return known }
    users.append(user)
    onlySubject.append(subject)
    let number = UInt32(users.count)
    numberOfUser[key] = number
    numbersOfKey[user.key, default: []].append(number)
    return number
  }

  /// Notes a subject that names a user.
  mutating func note(_ subject: Hash128?, naming number: UInt32) {
    if onlySubject[Int(number) - 1] != subject { onlySubject[Int(number) - 1] = nil }
  }

  /// Notes for each user whether it is a subject too.
  mutating func noteSubjects(_ isSubject: (Hash128) -> Bool) {
    for index in users.indices where onlySubject[index] != users[index].key && isSubject(users[index].key) {
      onlySubject[index] = nil
    }
  }

  /// Returns the user with a number.
  subscript(number: UInt32) -> LoggedUser { users[Int(number) - 1] }

  /// Returns whether a user has events of several subjects.
  func isShared(_ number: UInt32) -> Bool { onlySubject[Int(number) - 1] == nil }

  /// Returns whether events of another subject name a subject as their user.
  func isUserOfOthers(_ subject: Hash128) -> Bool {
    numbersOfKey[subject]?.contains { onlySubject[Int($0) - 1] != subject } ?? false
  }
}
