internal import CSchemas
internal import FunnelModel

/// Rejects personal data: the keys and values of the built-in list, `Schemas/privacy.json`, and the keys that flows forbid.
struct PersonalDataFilter: Sendable {
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

  /// The rules that a flow adds to those of the list.
  private enum FlowRules {
    /// The list covers every key that the flow forbids.
    case covered
    case further(PrivacyRules)
  }

  /// The rules for each list of forbidden keys so far.
  private var rulesByKeys: [[String]: FlowRules] = [:]

  /// Throws if an identifier contains an e-mail address or a phone number.
  func reject(_ text: String?, named name: String) throws(EventRecorderError) {
    guard let text, let finding = Self.list.finding(inValue: Array(text.utf8).span) else { return }
    throw EventRecorderError(.personalData, "\(name) \(finding); use a pseudonymous id")
  }

  /// Throws if the key or the value of a member is personal. The error names the first such member.
  func reject(_ members: EventEncoder.Members, in prefix: String) throws(EventRecorderError) {
    // A null contains no personal data.
    for (key, value) in members where value != .null {
      if let finding = Self.list.finding(inKey: Array(key.utf8).span) {
        throw EventRecorderError(.personalData, "\(prefix)\(key.printable) \(finding); do not log it")
      }
      if case .string(let text) = value, let finding = Self.list.finding(inValue: Array(text.utf8).span) {
        throw EventRecorderError(.personalData, "\(prefix)\(key.printable) \(finding); do not log it")
      }
    }
  }

  /// Throws if one of the members has a key that the event's flow forbids.
  mutating func reject(
    _ members: EventEncoder.Members, in prefix: String, forbidding keys: [String]
  ) throws(EventRecorderError) {
    guard !keys.isEmpty, case .further(let rules) = rules(forbidding: keys) else { return }
    for (key, value) in members where value != .null {
      guard let forbidden = rules.listedKey(heldBy: Array(key.utf8).span) else { continue }
      let what = "\"\(forbidden.key)\" is personal data according to its flow (no_personal_data)"
      throw EventRecorderError(.personalData, "\(prefix)\(key.printable): \(what); do not log it")
    }
  }

  private mutating func rules(forbidding keys: [String]) -> FlowRules {
    if let known = rulesByKeys[keys] { return known }
    let rules = PrivacyRules(forbidding: keys, beyond: Self.list).map(FlowRules.further) ?? .covered
    rulesByKeys[keys] = rules
    return rules
  }
}
