internal import CSchemas
internal import FunnelModel

/// Refuses personal data by the list of the tool, `Schemas/privacy.json`, and by what flows forbid beyond it.
struct PersonalDataGate: Sendable {
  /// The rules of the list.
  private static let list: PrivacyRules = {
    let file = funnel_privacy_file().pointee
    let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    do throws(FunnelError) {
      return try PrivacyRules(json: bytes, source: "privacy.json")
    } catch {
      // The tests read the list, so a failure here means that the library is broken.
      preconditionFailure("the built-in privacy.json is broken: \(error.message)")
    }
  }()

  /// The rules for each list of forbidden keys that was met; nil if the list covers them all.
  private var rulesByKeys: [[String]: PrivacyRules?] = [:]

  /// Throws if an identifier is or holds an e-mail address or a phone number.
  func refuse(_ text: String?, named name: String) throws(EventRecorderError) {
    guard let text, let finding = Array(text.utf8).withUnsafeBytes(Self.list.finding(inValue:)) else { return }
    throw EventRecorderError(.personalData, "\(name) \(finding); use a pseudonymous id")
  }

  /// Throws if one of the members is personal, by its key or its value. The first in the order of keys is told.
  func refuse(_ members: [(key: String, value: PropertyValue)], in place: String) throws(EventRecorderError) {
    // A null contains no personal data.
    for (key, value) in members where value != .null {
      if let finding = Array(key.utf8).withUnsafeBytes(Self.list.finding(inKey:)) {
        throw EventRecorderError(.personalData, "\(place)\(key.printable) \(finding); do not log it")
      }
      if case .string(let text) = value, let finding = Array(text.utf8).withUnsafeBytes(Self.list.finding(inValue:)) {
        throw EventRecorderError(.personalData, "\(place)\(key.printable) \(finding); do not log it")
      }
    }
  }

  /// Throws if one of the members has a key that the event's flow forbids.
  mutating func refuse(
    _ members: [(key: String, value: PropertyValue)], in place: String, forbidding keys: [String]
  ) throws(EventRecorderError) {
    guard !keys.isEmpty, let rules = rules(forbidding: keys) else { return }
    for (key, value) in members where value != .null {
      guard let forbidden = Array(key.utf8).withUnsafeBytes(rules.listedKey(heldBy:)) else { continue }
      let what = "\"\(forbidden.key)\" is personal data according to its flow (no_personal_data)"
      throw EventRecorderError(.personalData, "\(place)\(key.printable): \(what); do not log it")
    }
  }

  private mutating func rules(forbidding keys: [String]) -> PrivacyRules? {
    if let known = rulesByKeys[keys] { return known }
    let rules = PrivacyRules(forbidding: keys, beyond: Self.list)
    rulesByKeys.updateValue(rules, forKey: keys)
    return rules
  }
}
