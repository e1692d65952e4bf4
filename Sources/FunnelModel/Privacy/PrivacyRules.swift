/// The rules that keep personal data out of the log, by the keys and the values of event properties.
///
/// The checks run for every property of every event, so they work on bytes and do not allocate.
package struct PrivacyRules: Sendable {
  /// A personal key, and the reason why it is personal.
  package struct Key: Hashable, Sendable {
    /// The key, of one or several words.
    package let key: String
    /// The reason, for messages.
    package let why: String

    package init(key: String, why: String) {
      self.key = key
      self.why = why
    }
  }

  /// A kind of value that is personal regardless of its key.
  package enum ValueKind: String, Hashable, Sendable, CaseIterable {
    case emailAddress = "email_address"
    case phoneNumber = "phone_number"
  }

  /// The personal keys, in the order of the file.
  package let keys: [Key]
  /// The kinds of values that are searched for.
  package let valueKinds: Set<ValueKind>
  /// Whether values with a phone number are rejected.
  let rejectsPhoneNumbers: Bool
  /// Whether values with an e-mail address are rejected.
  let rejectsEmailAddresses: Bool
  private let table: KeyWordTable

  /// Creates rules from keys and kinds of values.
  package init(keys: [Key], valueKinds: Set<ValueKind> = Set(ValueKind.allCases)) {
    self.keys = keys
    self.valueKinds = valueKinds
    rejectsPhoneNumbers = valueKinds.contains(.phoneNumber)
    rejectsEmailAddresses = valueKinds.contains(.emailAddress)
    table = KeyWordTable(keys.map(\.key))
  }

  /// Creates rules from the keys that flows forbid (`no_personal_data`), without those that other rules already reject.
  ///
  /// Returns `nil` if no keys remain.
  package init?(forbidding keys: [String], beyond other: PrivacyRules) {
    let keys = keys.filter { !other.table.covers($0) }
    guard !keys.isEmpty else { return nil }
    self.init(keys: keys.map { Key(key: $0, why: "a flow forbids it") }, valueKinds: [])
  }

  /// Returns whether a key contains the words of a listed key: `suggestedContactName` contains those of `contact_name`.
  package func isPersonal(key: Span<UInt8>) -> Bool {
    table.index(heldBy: key) != nil
  }

  /// Returns the listed key whose words a key contains, or `nil` if the key is not personal.
  package func listedKey(heldBy key: Span<UInt8>) -> Key? {
    table.index(heldBy: key).map { keys[$0] }
  }
}

/// The search for e-mail addresses and phone numbers in values.
extension PrivacyRules {
  /// An e-mail address or phone number in a value.
  package struct PersonalPart: Hashable, Sendable {
    /// The kind of personal data.
    package let kind: ValueKind
    /// The range of its bytes within the value.
    package let range: Range<Int>
  }

  /// Returns the first e-mail address or phone number in a value, or `nil` if there is none.
  ///
  /// A value without any of the bytes `@`, `+` and `:` has neither, so callers may skip the call for it.
  package func personalPart(ofValue value: Span<UInt8>) -> PersonalPart? {
    for index in 0..<value.count {
      switch value[index] {
      case UInt8(ascii: "@") where rejectsEmailAddresses:
        if let range = EmailAddress.range(around: index, in: value) { return PersonalPart(kind: .emailAddress, range: range) }
      case UInt8(ascii: "+") where rejectsPhoneNumbers:
        if let range = PhoneNumber.range(fromPlus: index, in: value) { return PersonalPart(kind: .phoneNumber, range: range) }
      case UInt8(ascii: ":") where rejectsPhoneNumbers:
        if let range = PhoneNumber.range(aroundColon: index, in: value) {
          return PersonalPart(kind: .phoneNumber, range: range)
        }
      default: break
      }
    }
    return nil
  }
}

/// Clauses about personal data, for messages. A clause never contains a value.
extension PrivacyRules {
  /// Returns `is on the list of personal data` or `contains "contact_name", which is …`, or `nil` if the key is not personal.
  package func finding(inKey key: Span<UInt8>) -> String? {
    guard let listed = listedKey(heldBy: key) else { return nil }
    let list = "on the list of personal data"
    let isSame = Self.letters(String(utf8: key)) == Self.letters(listed.key)
    return isSame ? "is \(list)" : "contains \"\(listed.key)\", which is \(list)"
  }

  /// Returns `is an e-mail address`, `contains a phone number` or similar, or `nil` if the value has neither.
  package func finding(inValue value: Span<UInt8>) -> String? {
    guard let part = personalPart(ofValue: value) else { return nil }
    let verb = part.range == 0..<value.count ? "is" : "contains"
    switch part.kind {
    case .emailAddress: return "\(verb) an e-mail address"
    case .phoneNumber: return "\(verb) a phone number"
    }
  }

  /// Returns the letters and digits of a key, in lower case.
  private static func letters(_ key: String) -> String { key.lowercased().filter { $0.isLetter || $0.isNumber } }
}
