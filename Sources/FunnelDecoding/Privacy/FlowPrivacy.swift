import FunnelModel

/// The keys that flows forbid in addition to the built-in list, by their rule `no_personal_data`.
///
/// Not thread-safe: each worker owns one.
struct FlowPrivacy {
  /// The rules of each flow version, by its index in the catalog, or `nil` if it forbids no additional keys.
  private let rulesOfFlows: [(rules: PrivacyRules, keys: CleanKeys)?]
  /// The combined rules of all flows of an app.
  private let rulesOfApps: [String: PrivacyRules]
  /// Whether no flow forbids additional keys, so events need not be checked.
  let isEmpty: Bool

  /// Collects the rules of the flows in a catalog.
  ///
  /// - Parameters:
  ///   - catalog: The flow definitions.
  ///   - list: The rules for events of all flows, which are checked before.
  init(catalog: FlowCatalog, beyond list: PrivacyRules) {
    rulesOfFlows = catalog.definitions.map { flow in
      PrivacyRules(forbidding: flow.forbiddenKeys, beyond: list).map { ($0, CleanKeys($0)) }
    }
    let keys = Dictionary(grouping: catalog.definitions, by: \.app).mapValues { $0.flatMap(\.forbiddenKeys) }
    rulesOfApps = keys.compactMapValues { PrivacyRules(forbidding: $0, beyond: list) }
    isEmpty = rulesOfApps.isEmpty
  }

  /// Throws a rejection if an event has a key that its flow forbids, with a value other than null.
  ///
  /// The message does not contain the value. Call this for each flow version that aggregates the event.
  ///
  /// - Parameter flow: The index of the flow version in the catalog.
  func refuse(_ event: borrowing EventFields, flow: Int) throws(Rejection) {
    guard let (rules, keys) = rulesOfFlows[flow] else { return }
    try Self.refuse(event.props, in: "props.", rules, keys)
    try Self.refuse(event.context, in: "ctx.", rules, keys)
  }

  /// Returns the combined rules of the flows of an app, or `nil` if they forbid no additional keys.
  func rules(ofApp app: String?) -> PrivacyRules? {
    // A rejected line may name a wrong flow or none, so the mask applies the rules of all flows of its app.
    app.flatMap { rulesOfApps[$0] }
  }

  private static func refuse(
    _ members: EventMembers, in prefix: String, _ rules: PrivacyRules, _ keys: CleanKeys
  ) throws(Rejection) {
    for member in members where keys.isPersonal(member.key.span) && !member.value.isNull {
      guard let forbidden = rules.listedKey(heldBy: member.key.span) else { continue }
      let what = "\"\(forbidden.key)\" is personal data according to its flow (no_personal_data)"
      throw Rejection(.personalData, "\(prefix)\(member.key.span.shown): \(what); do not log it")
    }
  }
}
