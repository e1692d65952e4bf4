/// Rejects personal data: the keys of the built-in list, values with e-mail addresses and phone numbers, and the keys that flows forbid.
///
/// `funnel ingest` rejects the same, in the same words. A test of the tool compares the two.
struct PersonalDataFilter: Sendable {
  private static let list = PersonalKeys(PersonalKeyList.keys)

  /// The keys that each list of forbidden keys adds to the built-in one.
  private var addedKeys: [[String]: PersonalKeys] = [:]

  /// Throws if an identifier contains an e-mail address or a phone number.
  func reject(_ text: String?, named name: String) throws(EventRecorderError) {
    guard let text, let finding = PersonalValue.finding(in: text) else { return }
    throw EventRecorderError(.personalData, "\(name) \(finding); use a pseudonymous id")
  }

  /// Throws if the key or the value of a member is personal. The error names the first such member.
  func reject(_ members: EventEncoder.Members, in prefix: String) throws(EventRecorderError) {
    // A null contains no personal data.
    for (key, value) in members where value != .null {
      if let finding = Self.finding(inKey: key) {
        throw EventRecorderError(.personalData, "\(prefix)\(key.printable) \(finding); do not log it")
      }
      if case .string(let text) = value, let finding = PersonalValue.finding(in: text) {
        throw EventRecorderError(.personalData, "\(prefix)\(key.printable) \(finding); do not log it")
      }
    }
  }

  /// Throws if one of the members has a key that the event's flow forbids.
  mutating func reject(
    _ members: EventEncoder.Members, in prefix: String, forbidding keys: [String]
  ) throws(EventRecorderError) {
    guard !keys.isEmpty else { return }
    let added = addedKeys[keys] ?? PersonalKeys(keys.filter { !Self.list.covers($0) })
    addedKeys[keys] = added
    for (key, value) in members where value != .null {
      guard let forbidden = added.listedKey(in: key) else { continue }
      let what = "\"\(forbidden)\" is personal data according to its flow (no_personal_data)"
      throw EventRecorderError(.personalData, "\(prefix)\(key.printable): \(what); do not log it")
    }
  }

  /// Returns a clause such as `is on the list of personal data`, or `nil` if a key is not personal.
  private static func finding(inKey key: String) -> String? {
    guard let listed = list.listedKey(in: key) else { return nil }
    let list = "on the list of personal data"
    return letters(key) == letters(listed) ? "is \(list)" : "contains \"\(listed)\", which is \(list)"
  }

  /// Returns the letters and digits of a key, in lower case.
  private static func letters(_ key: String) -> String { key.lowercased().filter { $0.isLetter || $0.isNumber } }
}
