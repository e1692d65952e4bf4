import FunnelModel

/// Keeps personal data out of the log: listed keys, and values that are or contain an e-mail address or a phone number.
enum PersonalData {
  /// Throws if an event contains personal data. The message never repeats the value.
  static func refuse(in envelope: Envelope, rules: PrivacyRules) throws(Reject) {
    try refuse(envelope[.subject], named: "subject", rules: rules)
    try refuse(envelope[.attempt], named: "attempt", rules: rules)
    try refuse(envelope[.id], named: "id", rules: rules)
    for index in envelope.members(of: .props) { try refuse(envelope.fields[index], in: "props.", rules: rules) }
    for index in envelope.members(of: .context) { try refuse(envelope.fields[index], in: "ctx.", rules: rules) }
    for index in envelope.unknown { try refuse(envelope.fields[index], in: "", rules: rules) }
  }

  private static func refuse(_ field: ParsedField?, named name: String, rules: PrivacyRules) throws(Reject) {
    guard let field, let finding = finding(in: field, rules: rules) else { return }
    throw Reject(.personalData, "\(name) \(finding); use a pseudonymous id")
  }

  private static func refuse(_ field: ParsedField, in place: String, rules: PrivacyRules) throws(Reject) {
    // A null contains no personal data.
    if field.scalar?.isNull == true { return }
    if let listed = rules.listedKey(heldBy: field.key) {
      throw Reject(.personalData, "\(place)\(field.key.shown) \(isListed(field.key, as: listed)); do not log it")
    }
    if let finding = finding(in: field, rules: rules) {
      throw Reject(.personalData, "\(place)\(field.key.shown) \(finding); do not log it")
    }
  }

  /// Returns a clause for messages: the key is on the list or, if it has further words, contains a key of the list.
  private static func isListed(_ key: UnsafeRawBufferPointer, as listed: PrivacyRules.Key) -> String {
    let list = "on the list of personal data"
    return key.hasSameLetters(as: listed.key) ? "is \(list)" : "holds \"\(listed.key)\", which is \(list)"
  }

  private static func finding(in field: ParsedField, rules: PrivacyRules) -> String? {
    guard case .string(let text) = field.scalar, let part = rules.personalPart(ofValue: text) else { return nil }
    let verb = part.range == 0..<text.count ? "is" : "holds"
    switch part.kind {
    case .emailAddress: return "\(verb) an e-mail address"
    case .phoneNumber: return "\(verb) a phone number"
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns whether two keys are equal apart from separators and letter case.
  fileprivate func hasSameLetters(as key: String) -> Bool {
    func letters(_ text: some StringProtocol) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
    return letters(text) == letters(key)
  }
}
