import FunnelModel

/// Keeps personal data out of the log: known keys, and values that are e-mail addresses or phone numbers.
enum PersonalData {
  /// What a masked value is replaced by.
  static let mask = "***"

  /// Refuses an event that holds personal data. The message never repeats the value.
  static func refuse(in envelope: Envelope, rules: PrivacyRules) throws(Reject) {
    try refuse(envelope[.subject], named: "subject", rules: rules)
    try refuse(envelope[.attempt], named: "attempt", rules: rules)
    try refuse(envelope[.id], named: "id", rules: rules)
    for index in envelope.members(of: .props) { try refuse(envelope.fields[index], in: "props.", rules: rules) }
    for index in envelope.members(of: .context) { try refuse(envelope.fields[index], in: "ctx.", rules: rules) }
    for index in envelope.unknown { try refuse(envelope.fields[index], in: "", rules: rules) }
  }

  private static func refuse(_ field: ParsedField?, named name: String, rules: PrivacyRules) throws(Reject) {
    guard let field, let kind = kind(of: field, rules: rules) else { return }
    throw Reject(.personalData, "\(name) is \(kind); use a pseudonymous id")
  }

  private static func refuse(_ field: ParsedField, in place: String, rules: PrivacyRules) throws(Reject) {
    if rules.isPersonal(key: field.key) {
      throw Reject(.personalData, "\(place)\(field.key.shown) is on the list of personal data; do not log it")
    }
    if let kind = kind(of: field, rules: rules) {
      throw Reject(.personalData, "\(place)\(field.key.shown) is \(kind); do not log it")
    }
  }

  private static func kind(of field: ParsedField, rules: PrivacyRules) -> String? {
    guard case .string(let text) = field.scalar else { return nil }
    switch rules.personalKind(ofValue: text) {
    case .emailAddress: return "an e-mail address"
    case .e164PhoneNumber: return "a phone number"
    case nil: return nil
    }
  }

  /// The line with every personal value masked, at any depth; nil where it holds none or is no JSON.
  static func masked(_ line: UnsafeRawBufferPointer, rules: PrivacyRules) -> [UInt8]? {
    guard let document = try? JSONDocument(parsing: Array(line)) else { return nil }
    var masker = Masker(rules: rules)
    masker.append(document.root, isPersonal: false)
    return masker.maskedCount > 0 ? masker.bytes : nil
  }

  private struct Masker {
    let rules: PrivacyRules
    var bytes: [UInt8] = []
    var maskedCount = 0

    mutating func append(_ node: JSONDocument.Node, isPersonal: Bool) {
      switch node.value {
      case .object(let members):
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
          if index > 0 { bytes.append(UInt8(ascii: ",")) }
          bytes.appendJSONString(member.key)
          bytes.append(UInt8(ascii: ":"))
          append(member.node, isPersonal: isPersonal || isPersonalKey(member.key))
        }
        bytes.append(UInt8(ascii: "}"))
      case .array(let nodes):
        bytes.append(UInt8(ascii: "["))
        for (index, node) in nodes.enumerated() {
          if index > 0 { bytes.append(UInt8(ascii: ",")) }
          append(node, isPersonal: isPersonal)
        }
        bytes.append(UInt8(ascii: "]"))
      case .number(let text) where !isPersonal: bytes.append(text: text)
      case .string(let text) where !isPersonal && !isPersonalValue(text): bytes.appendJSONString(text)
      case .bool(let flag) where !isPersonal: bytes.append(text: flag ? "true" : "false")
      case .null: bytes.append(text: "null")
      case .number, .string, .bool:
        bytes.appendJSONString(PersonalData.mask)
        maskedCount += 1
      }
    }

    private func isPersonalKey(_ key: String) -> Bool {
      Array(key.utf8).withUnsafeBytes { rules.isPersonal(key: $0) }
    }

    private func isPersonalValue(_ text: String) -> Bool {
      Array(text.utf8).withUnsafeBytes { rules.personalKind(ofValue: $0) != nil }
    }
  }
}
