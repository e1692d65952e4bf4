import FunnelModel

/// Keeps personal data out of the log: listed keys, and values that are or contain an e-mail address or a phone number.
enum PersonalData {
  /// Throws if an event contains personal data. The message never repeats the value.
  static func refuse(in envelope: Envelope, rules: PrivacyRules) throws(Rejection) {
    try refuse(envelope[.subject], named: "subject", rules: rules)
    try refuse(envelope[.attempt], named: "attempt", rules: rules)
    try refuse(envelope[.id], named: "id", rules: rules)
    for index in envelope.members(of: .props) { try refuse(envelope.fields[index], in: "props.", rules: rules) }
    for index in envelope.members(of: .context) { try refuse(envelope.fields[index], in: "ctx.", rules: rules) }
    for index in envelope.unknown { try refuse(envelope.fields[index], in: "", rules: rules) }
  }

  private static func refuse(_ field: ParsedField?, named name: String, rules: PrivacyRules) throws(Rejection) {
    guard let field, let finding = finding(in: field, rules: rules) else { return }
    throw Rejection(.personalData, "\(name) \(finding); use a pseudonymous id")
  }

  private static func refuse(_ field: ParsedField, in place: String, rules: PrivacyRules) throws(Rejection) {
    // A null contains no personal data.
    if field.scalar?.isNull == true { return }
    if let finding = rules.finding(inKey: field.key) {
      throw Rejection(.personalData, "\(place)\(field.key.shown) \(finding); do not log it")
    }
    if let finding = finding(in: field, rules: rules) {
      throw Rejection(.personalData, "\(place)\(field.key.shown) \(finding); do not log it")
    }
  }

  private static func finding(in field: ParsedField, rules: PrivacyRules) -> String? {
    guard case .string(let text) = field.scalar else { return nil }
    return rules.finding(inValue: text)
  }
}
