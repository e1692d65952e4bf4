/// The rules that keep personal data out of the log, by the keys and the values of event properties.
///
/// The checks run for every property of every event, so they work on bytes and do not allocate.
public struct PrivacyRules: Sendable {
  /// A personal key, and the reason why it is personal.
  public struct Key: Hashable, Sendable {
    /// The key, of one or several words.
    public var key: String
    /// The reason, for messages.
    public var why: String

    /// Creates a key.
    public init(key: String, why: String) {
      self.key = key
      self.why = why
    }
  }

  /// A kind of value that is personal regardless of its key.
  public enum ValueKind: String, Hashable, Sendable, CaseIterable {
    case emailAddress = "email_address"
    case phoneNumber = "phone_number"
  }

  /// The personal keys, in the order of the file.
  public let keys: [Key]
  /// The kinds of values that are searched for.
  public let valueKinds: Set<ValueKind>
  /// Whether values with a phone number are rejected.
  let refusesPhoneNumbers: Bool
  /// Whether values with an e-mail address are rejected.
  let refusesEmailAddresses: Bool
  private let table: KeyWordTable

  /// Creates rules from keys and kinds of values.
  public init(keys: [Key], valueKinds: Set<ValueKind> = Set(ValueKind.allCases)) {
    self.keys = keys
    self.valueKinds = valueKinds
    refusesPhoneNumbers = valueKinds.contains(.phoneNumber)
    refusesEmailAddresses = valueKinds.contains(.emailAddress)
    table = KeyWordTable(keys.map(\.key))
  }

  /// Creates rules from the keys that flows forbid (`no_personal_data`), without those that other rules already reject.
  ///
  /// Returns `nil` if no keys remain.
  public init?(forbidding keys: [String], beyond other: PrivacyRules) {
    let keys = keys.filter { !other.table.covers($0) }
    guard !keys.isEmpty else { return nil }
    self.init(keys: keys.map { Key(key: $0, why: "a flow forbids it") }, valueKinds: [])
  }

  /// Returns whether a key contains the words of a listed key: `suggestedContactName` contains those of `contact_name`.
  public func isPersonal(key: UnsafeRawBufferPointer) -> Bool {
    table.index(heldBy: key) != nil
  }

  /// Returns the listed key whose words a key contains, or `nil` if the key is not personal.
  public func listedKey(heldBy key: UnsafeRawBufferPointer) -> Key? {
    table.index(heldBy: key).map { keys[$0] }
  }
}
