import FunnelModel

/// The keys that flows forbid beyond the built-in list, by their `no_personal_data` rules. It must not be shared between threads.
struct FlowPrivacy {
  /// The rules of each flow version, by its index in the catalog; nil if it forbids nothing beyond the list.
  private let rulesOfFlows: [(rules: PrivacyRules, keys: CleanKeys)?]
  /// The combined rules of all flows of an app.
  private let rulesOfApps: [String: PrivacyRules]
  /// Whether no flow forbids more than the list, so that events need not be checked.
  let isEmpty: Bool

  /// Collects the rules of a catalog's flows.
  ///
  /// - Parameter list: The rules that every event is checked against beforehand, whatever its flow.
  init(catalog: FlowCatalog, beyond list: PrivacyRules) {
    rulesOfFlows = catalog.definitions.map { flow in
      PrivacyRules(forbidding: flow.forbiddenKeys, beyond: list).map { ($0, CleanKeys($0)) }
    }
    let keys = Dictionary(grouping: catalog.definitions, by: \.app).mapValues { $0.flatMap(\.forbiddenKeys) }
    rulesOfApps = keys.compactMapValues { PrivacyRules(forbidding: $0, beyond: list) }
    isEmpty = rulesOfApps.isEmpty
  }

  /// Throws if an event has a key that its flow forbids, with a value other than null. The message never repeats the value.
  ///
  /// - Parameter flow: The index in the catalog of a flow version that folds the event. Call this once for each such flow version.
  func refuse(_ event: borrowing EventFields, flow: Int) throws(Rejection) {
    guard let (rules, keys) = rulesOfFlows[flow] else { return }
    try Self.refuse(event.props, in: "props.", rules, keys)
    try Self.refuse(event.context, in: "ctx.", rules, keys)
  }

  /// Returns the combined rules of the flows of an app, or nil if they forbid nothing beyond the list.
  ///
  /// A rejected line may name the wrong flow or none, so everything that any flow of its app forbids is masked in it.
  func rules(ofApp app: String?) -> PrivacyRules? { app.flatMap { rulesOfApps[$0] } }

  private static func refuse(
    _ members: EventMembers, in place: String, _ rules: PrivacyRules, _ keys: CleanKeys
  ) throws(Rejection) {
    for member in members where keys.isPersonal(member.key) && !member.value.isNull {
      guard let forbidden = rules.listedKey(heldBy: member.key) else { continue }
      let what = "\"\(forbidden.key)\" is personal data according to its flow (no_personal_data)"
      throw Rejection(.personalData, "\(place)\(member.key.shown): \(what); do not log it")
    }
  }
}
