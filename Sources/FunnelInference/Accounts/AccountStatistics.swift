import FunnelDecoding
import FunnelModel

/// The share of records that have a user, and the number of users with several subjects.
struct AccountStatistics: Hashable, Sendable {
  /// The subjects of a user.
  private enum Subjects: Hashable, Sendable {
    /// All records of the user have one subject, which has this hash.
    case one(Hash128)
    case several
  }

  /// The maximum number of users. Further ones are counted in no way.
  private static let usersMax = 200_000

  /// The number of records, whether or not they have a user.
  private var records = 0
  private var recordsWithUser = 0
  /// The subjects of each user, by the hash of the user's ID.
  private var subjects: [Hash128: Subjects] = [:]

  /// Adds a record without a user.
  mutating func addRecord() { records += 1 }

  /// Adds a record with a user.
  mutating func addRecord(subject: Span<UInt8>, user: Span<UInt8>) {
    records += 1
    recordsWithUser += 1
    let (subject, user) = (Hash128(of: subject), Hash128(of: user))
    // The records of a server have the user as their subject, which is no device.
    guard subject != user else { return }
    switch subjects[user] {
    case nil: if subjects.count < Self.usersMax { subjects[user] = .one(subject) }
    case .one(let known): if known != subject { subjects[user] = .several }
    case .several: break
    }
  }

  /// A sentence on the users, or `nil` if no record has one.
  var sentence: String? {
    guard recordsWithUser > 0 else { return nil }
    let share = PercentText.text(Double(recordsWithUser) / Double(records))
    let several = subjects.values.count { $0 == .several }
    let least = subjects.count == Self.usersMax ? "at least " : ""
    let accounts = several == 1 ? "account was" : "accounts were"
    return "\(share) of records have an account; \(least)\(Quantity.count(several)) \(accounts) seen on more than one device"
  }
}
