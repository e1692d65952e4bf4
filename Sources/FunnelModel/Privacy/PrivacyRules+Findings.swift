/// Clauses about personal data, for messages. A clause never contains a value.
extension PrivacyRules {
  /// Returns `is on the list of personal data` or `contains "contact_name", which is …`, or `nil` if the key is not personal.
  public func finding(inKey key: UnsafeRawBufferPointer) -> String? {
    guard let listed = listedKey(heldBy: key) else { return nil }
    let list = "on the list of personal data"
    let isSame = Self.letters(String(decoding: key, as: UTF8.self)) == Self.letters(listed.key)
    return isSame ? "is \(list)" : "contains \"\(listed.key)\", which is \(list)"
  }

  /// Returns `is an e-mail address`, `contains a phone number` or similar, or `nil` if the value has neither.
  public func finding(inValue value: UnsafeRawBufferPointer) -> String? {
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
