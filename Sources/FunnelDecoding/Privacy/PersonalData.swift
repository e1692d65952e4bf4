import FunnelModel

/// Rejects events with personal data: listed keys, and values that contain an e-mail address or a phone number.
enum PersonalData {
  /// Throws a rejection if an event contains personal data. The message does not contain the value.
  ///
  /// - Parameter storesRawIDs: Whether the subject and the user are stored as they are. Otherwise their pseudonyms are, and
  ///   the subject, the user and the ID may be personal data.
  static func refuse(in envelope: Envelope, rules: PrivacyRules, storesRawIDs: Bool) throws(Rejection) {
    if storesRawIDs {
      try refuse(envelope[.subject], named: "subject", rules: rules, advice: pseudonymsAdvice)
      try refuse(envelope[.user], named: "user", rules: rules, advice: pseudonymsAdvice)
      try refuse(envelope[.id], named: "id", rules: rules, advice: pseudonymsAdvice)
    }
    try refuse(envelope[.attempt], named: "attempt", rules: rules, advice: "use a pseudonymous id")
    for index in envelope.members(of: .props) { try refuse(envelope.fields[index], in: "props.", rules: rules) }
    for index in envelope.members(of: .context) { try refuse(envelope.fields[index], in: "ctx.", rules: rules) }
    for index in envelope.unknown { try refuse(envelope.fields[index], in: "", rules: rules) }
  }

  private static let pseudonymsAdvice = "use a pseudonymous id, or keep pseudonyms alone with --pseudonymize"

  private static func refuse(
    _ field: ParsedField?, named name: String, rules: PrivacyRules, advice: String
  ) throws(Rejection) {
    guard let field, let finding = finding(in: field, rules: rules) else { return }
    throw Rejection(.personalData, "\(name) \(finding); \(advice)")
  }

  private static func refuse(_ field: ParsedField, in prefix: String, rules: PrivacyRules) throws(Rejection) {
    // A null is not personal data, even with a listed key.
    if field.scalar?.isNull == true { return }
    if let finding = rules.finding(inKey: field.key.span) {
      throw Rejection(.personalData, "\(prefix)\(field.key.span.shown) \(finding); do not log it")
    }
    if let finding = finding(in: field, rules: rules) {
      throw Rejection(.personalData, "\(prefix)\(field.key.span.shown) \(finding); do not log it")
    }
  }

  /// Returns why a value is personal data, as a clause, or `nil` if it is not.
  private static func finding(in field: ParsedField, rules: PrivacyRules) -> String? {
    guard case .string(let text) = field.scalar else { return nil }
    return rules.finding(inValue: text.span)
  }
}

/// Detects values that privacy rules reject regardless of their key.
///
/// A fast test of the bytes accepts nearly every value.
final class PersonalValues {
  // A class, so that passing it copies a reference and not the rules.

  private let rules: PrivacyRules

  /// Creates a detector for some rules.
  init(_ rules: PrivacyRules) { self.rules = rules }

  /// Whether a value, whose escapes are decoded, contains personal data.
  @inline(__always)
  func contain(_ value: PaddedText) -> Bool { ByteWords.mayHoldPersonalData(value) && search(value) }

  /// Searches a value that the fast test does not accept.
  @inline(never)
  private func search(_ value: PaddedText) -> Bool { rules.personalPart(ofValue: value.span) != nil }
}
