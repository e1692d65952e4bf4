/// Reads the parameters of one rule of a definition.
///
/// Each function returns `nil` if the parameter is absent or invalid. An invalid parameter is reported, an
/// absent one is not. A reference to an unknown name is reported, but returned.
struct FlowRuleReader {
  let object: ConfigurationObject
  /// The names that the rule may refer to.
  let names: FlowNames

  /// The reader of the file, which collects problems.
  var input: ConfigurationReader { object.input }

  /// Reads the ID of a step.
  func step(_ key: String) -> String? { reference(key, in: names.stepIDs, "step") }

  /// Reads an array of step IDs, which may be empty.
  func steps(_ key: String) -> [String]? { references(key, in: names.stepIDs, "step", isEmptyAllowed: true) }

  /// Reads the name of a permission.
  func permission(_ key: String) -> String? { reference(key, in: names.permissions, "permission") }

  /// Reads an array of permissions, at least one.
  func permissions(_ key: String) -> [String]? {
    references(key, in: names.permissions, "permission", isEmptyAllowed: false)
  }

  /// Reads an array of permissions that a step asks for, at least one.
  func permissions(_ key: String, askedIn step: String?) -> [String]? {
    guard let permissions = permissions(key), let value = object[key] else { return nil }
    // The permissions are not checked if the step is unknown.
    guard let asked = names.steps?.first(where: { $0.id == step })?.permissions else { return permissions }
    for element in input.elements(of: value) {
      guard let name = element.node.string, !asked.contains(name), names.permissions?.contains(name) == true else { continue }
      let allowed = asked.isEmpty ? "it asks for none" : "it asks for \(asked.joined(separator: ", "))"
      input.report("the step does not ask for \(name.quoted), \(allowed)", at: element)
    }
    return permissions
  }

  /// Reads the name of an event that the flow declares.
  func event(_ key: String) -> String? {
    guard let value = object[key], let event = input.name(value) else { return nil }
    if let events = names.events, !events.contains(event) {
      let nearest = NearestName.suggestion(for: event, in: events)
      input.report(
        "the flow declares no event \(event.quoted)\(nearest) name it in \"events\", in \"outcomes\" or at a step", at: value)
    }
    return event
  }

  /// Reports a problem at a parameter, or at the whole rule if the parameter is absent.
  func report(_ message: String, at key: String) {
    input.report(message, at: object[key] ?? object.value)
  }

  private func reference(_ key: String, in known: [String]?, _ what: String) -> String? {
    guard let value = object[key], let name = input.name(value) else { return nil }
    input.checkReference(to: name, in: known, what, at: value)
    return name
  }

  private func references(_ key: String, in known: [String]?, _ what: String, isEmptyAllowed: Bool) -> [String]? {
    guard let value = object[key], let list = input.names(value, isEmptyAllowed: isEmptyAllowed) else { return nil }
    for element in input.elements(of: value) {
      guard let name = element.node.string, list.contains(name) else { continue }
      input.checkReference(to: name, in: known, what, at: element)
    }
    return list
  }
}

/// The names that a definition declares, for checking references to them.
///
/// Names are `nil` if their part of the definition is invalid. References to them are then not checked, because
/// reports of unknown names would be misleading.
struct FlowNames {
  /// The IDs of the steps, each with the permissions that the step asks for.
  var steps: [(id: String, permissions: [String])]?
  /// The names of the events that the flow declares.
  var events: [String]?

  /// Collects the names of steps.
  init(steps: [FlowStep]?) {
    self.steps = steps.map { $0.map { ($0.id, $0.permissions) } }
  }

  /// The IDs of the steps.
  var stepIDs: [String]? { steps.map { $0.map(\.id) } }

  /// The permissions of the whole flow, without duplicates, in order of first use.
  var permissions: [String]? {
    steps.map { steps in
      var seen: Set<String> = []
      return steps.flatMap(\.permissions).filter { seen.insert($0).inserted }
    }
  }
}

extension ConfigurationReader {
  /// Reports a name at a value if the flow does not have it. Does nothing if the flow's names are `nil`.
  ///
  /// - Parameter what: The noun for the name, such as `step`.
  func checkReference(to name: String, in names: [String]?, _ what: String, at value: ConfigurationValue) {
    checkReference(to: name, in: names, what, at: value.node.position, path: value.path)
  }

  /// Reports a name at a position if the flow does not have it. Does nothing if the flow's names are `nil`.
  func checkReference(
    to name: String, in names: [String]?, _ what: String, at position: JSONDocument.Position, path: String
  ) {
    guard let names, !names.contains(name) else { return }
    let nearest = NearestName.suggestion(for: name, in: names)
    let allowed = names.isEmpty ? "it has none" : "allowed: \(names.joined(separator: ", "))"
    report("the flow has no \(what) \(name.quoted)\(nearest) \(allowed)", at: position, path: path)
  }
}

extension FlowDefinitionReader {
  /// Reads `rules`. Invalid rules are omitted.
  func readRules(_ value: ConfigurationValue, names: FlowNames) -> [FlowRule] {
    let elements = input.array(value, needed: "an array of rules") ?? []
    guard elements.count <= Limits.flowRulesMax else {
      input.report("\(elements.count) rules, at most \(Limits.flowRulesMax) are allowed", at: value)
      return []
    }
    return elements.compactMap { readRule($0, names: names) }
  }

  private func readRule(_ value: ConfigurationValue, names: FlowNames) -> FlowRule? {
    guard let object = input.object(value, needed: "an object (a rule)") else { return nil }
    guard let location = object["rule"] else {
      input.report("the key \"rule\" is missing, add it", at: value)
      return nil
    }
    guard let kind = input.choice(location, FlowRule.Kind.self) else { return nil }
    func read<Parameters: FlowRuleParameters>(_ rule: (Parameters) -> FlowRule) -> FlowRule? {
      assert(Parameters.kind == kind, "the parameters of \(Parameters.kind) do not describe \(kind)")
      let allowed = ["rule"] + Parameters.requiredKeys + Parameters.optionalKeys
      guard let object = input.object(value, allowed: allowed, required: Parameters.requiredKeys) else { return nil }
      return Parameters(FlowRuleReader(object: object, names: names)).map(rule)
    }
    switch kind {
    case .advanceWhenAllHandled: return read(FlowRule.advanceWhenAllHandled)
    case .autoVerifyAfter: return read(FlowRule.autoVerifyAfter)
    case .backFrom: return read(FlowRule.backFrom)
    case .dialogAfter: return read(FlowRule.dialogAfter)
    case .dismissedIsDenied: return read(FlowRule.dismissedIsDenied)
    case .failureReason: return read(FlowRule.failureReason)
    case .grantUndisclosed: return read(FlowRule.grantUndisclosed)
    case .inferSkip: return read { (_: FlowRule.InferSkip) in .inferSkip }
    case .knownStep: return read { (_: FlowRule.KnownStep) in .knownStep }
    case .limitedHint: return read(FlowRule.limitedHint)
    case .limitedIsAccess: return read(FlowRule.limitedIsAccess)
    case .lockedWhen: return read(FlowRule.lockedWhen)
    case .manualEntryOnDenied: return read(FlowRule.manualEntryOnDenied)
    case .maxItems: return read(FlowRule.maxItems)
    case .minItems: return read(FlowRule.minItems)
    case .noPersonalData: return read(FlowRule.noPersonalData)
    case .noSecondDecision: return read { (_: FlowRule.NoSecondDecision) in .noSecondDecision }
    case .notAfterCompletion: return read { (_: FlowRule.NotAfterCompletion) in .notAfterCompletion }
    case .onlyIfAllGranted: return read(FlowRule.onlyIfAllGranted)
    case .permissionOrder: return read(FlowRule.permissionOrder)
    case .permissionProgress: return read(FlowRule.permissionProgress)
    case .preAlertWithoutAlert: return read(FlowRule.preAlertWithoutAlert)
    case .prePromptBeforeDecision: return read { (_: FlowRule.PrePromptBeforeDecision) in .prePromptBeforeDecision }
    case .progress: return read { (_: FlowRule.Progress) in .progress }
    case .recoveredViaSettings: return read(FlowRule.recoveredViaSettings)
    case .skipDelay: return read(FlowRule.skipDelay)
    case .skippable: return read(FlowRule.skippable)
    case .startTrigger: return read(FlowRule.startTrigger)
    }
  }
}
