import FunnelModel

/// The keys that flows forbid besides the built-in list: their `no_personal_data` rules. Not to be shared between threads.
struct FlowPrivacy {
  /// By the index of the flow version in the catalog; nil for one that forbids nothing more than the list.
  private let rulesOfFlows: [(rules: PrivacyRules, keys: CleanKeys)?]
  /// What the flows of an app forbid, together.
  private let rulesOfApps: [String: PrivacyRules]
  /// Whether no flow forbids more than the list, so that no event need be looked at.
  let isEmpty: Bool

  /// Collects the rules of a catalog's flows.
  ///
  /// - Parameter list: What every event is held to before, whatever its flow.
  init(catalog: FlowCatalog, beyond list: PrivacyRules) {
    rulesOfFlows = catalog.definitions.map { flow in
      PrivacyRules(forbidding: flow.forbiddenKeys, beyond: list).map { ($0, CleanKeys($0)) }
    }
    let keys = Dictionary(grouping: catalog.definitions, by: \.app).mapValues { $0.flatMap(\.forbiddenKeys) }
    rulesOfApps = keys.compactMapValues { PrivacyRules(forbidding: $0, beyond: list) }
    isEmpty = rulesOfApps.isEmpty
  }

  /// Refuses an event with a key that its flow forbids and a value other than null. The message never repeats the value.
  ///
  /// - Parameter flow: The index in the catalog of a flow version that folds the event. An event of several flows is asked about with each.
  func refuse(_ event: borrowing EventFields, flow: Int) throws(Reject) {
    guard let (rules, keys) = rulesOfFlows[flow] else { return }
    try Self.refuse(event.props, in: "props.", rules, keys)
    try Self.refuse(event.context, in: "ctx.", rules, keys)
  }

  /// What the flows of an app forbid, or nil if that is no more than the list.
  ///
  /// A refused line may name its flow wrongly or not at all, so all that any flow of its app forbids is masked in it.
  func rules(ofApp app: String?) -> PrivacyRules? { app.flatMap { rulesOfApps[$0] } }

  private static func refuse(
    _ members: EventMembers, in place: String, _ rules: PrivacyRules, _ keys: CleanKeys
  ) throws(Reject) {
    for member in members where keys.isPersonal(member.key) && !member.value.isNull {
      guard let forbidden = rules.listedKey(heldBy: member.key) else { continue }
      let what = "\"\(forbidden.key)\" is personal data to its flow (no_personal_data)"
      throw Reject(.personalData, "\(place)\(member.key.shown): \(what); do not log it")
    }
  }
}

extension FlowDefinition {
  /// The keys that the flow's `no_personal_data` rules forbid.
  var forbiddenKeys: [String] {
    rules.flatMap { rule -> [String] in if case .noPersonalData(let rule) = rule { rule.keys } else { [] } }
  }
}
