extension FlowRule {
  /// A rule: events have no property with certain keys. An event with one is rejected, as with a key of ``PrivacyRules``.
  package struct NoPersonalData: FlowRuleParameters {
    static let kind = Kind.noPersonalData
    static let requiredKeys = ["keys"]
    static let canBeBroken = false

    /// The keys, each of one or several words: `ssid`, `contact_name`, `contact name`.
    package var keys: [String]

    func sentence(target: String?) -> String { "no event has a property named \(keys.listed("or"))" }
  }
}

extension FlowRule.NoPersonalData {
  init?(_ reader: FlowRuleReader) {
    guard let value = reader.object["keys"], let keys = reader.object.texts("keys") else { return nil }
    for element in reader.input.elements(of: value) {
      guard let key = element.node.string, !key.isEmpty,
        !key.utf8.contains(where: { $0.isASCIILetter || $0.isASCIIDigit })
      else { continue }
      reader.input.report("\(key.quoted) has no letter and no digit, at least one is needed", at: element)
    }
    self.init(keys: keys)
  }
}
