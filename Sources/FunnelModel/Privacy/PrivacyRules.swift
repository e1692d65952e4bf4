/// The data that must never enter the log: keys that name personal data, and values that are personal regardless of their key.
///
/// Both are checked for the properties of every event, so the checks work on bytes and do not allocate.
public struct PrivacyRules: Sendable {
  /// A key, and the reason why it is personal.
  public struct Key: Hashable, Sendable {
    public var key: String
    public var why: String

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

  /// The keys as listed in the file.
  public let keys: [Key]
  /// The kinds of values that are searched for.
  public let valueKinds: Set<ValueKind>
  let refusesPhoneNumbers: Bool
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

  /// Creates rules from the keys that flows forbid (`no_personal_data`), or returns nil if the other rules already reject all of them.
  ///
  /// The other rules are checked first, so the keys they cover are left out.
  public init?(forbidding keys: [String], beyond other: PrivacyRules) {
    let keys = keys.filter { !other.table.covers($0) }
    guard !keys.isEmpty else { return nil }
    self.init(keys: keys.map { Key(key: $0, why: "a flow forbids it") }, valueKinds: [])
  }

  /// Returns whether a key names personal data, by its words: `suggestedContactName` has the words of `contact_name` in a row.
  public func isPersonal(key: UnsafeRawBufferPointer) -> Bool {
    table.index(heldBy: key) != nil
  }

  /// Returns the listed key whose words a key contains, or nil if the key names no personal data.
  public func listedKey(heldBy key: UnsafeRawBufferPointer) -> Key? {
    table.index(heldBy: key).map { keys[$0] }
  }
}
