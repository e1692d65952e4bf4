/// A requirement for every group of a flow, or a fact about the flow that reports use.
///
/// The parameters of a case are a struct of the same name, which describes the rule (``FlowRuleParameters``). The steps,
/// permissions and events that a rule names exist in its flow, which is checked when a definition is read.
package enum FlowRule: Hashable, Sendable {
  case advanceWhenAllHandled(AdvanceWhenAllHandled)
  case autoVerifyAfter(AutoVerifyAfter)
  case backFrom(BackFrom)
  case dialogAfter(DialogAfter)
  case dismissedIsDenied(DismissedIsDenied)
  case failureReason(FailureReason)
  case grantUndisclosed(GrantUndisclosed)
  case inferSkip
  case knownStep
  case limitedHint(LimitedHint)
  case limitedIsAccess(LimitedIsAccess)
  case lockedWhen(LockedWhen)
  case manualEntryOnDenied(ManualEntryOnDenied)
  case maxItems(MaxItems)
  case minItems(MinItems)
  case noPersonalData(NoPersonalData)
  case noSecondDecision
  case notAfterCompletion
  case onlyIfAllGranted(OnlyIfAllGranted)
  case permissionOrder(PermissionOrder)
  case permissionProgress(PermissionProgress)
  case preAlertWithoutAlert(PreAlertWithoutAlert)
  case prePromptBeforeDecision
  case progress
  case recoveredViaSettings(RecoveredViaSettings)
  case skipDelay(SkipDelay)
  case skippable(Skippable)
  case startTrigger(StartTrigger)

  /// The kinds of rules, with their names in a definition.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case advanceWhenAllHandled = "advance_when_all_handled"
    case autoVerifyAfter = "auto_verify_after"
    case backFrom = "back_from"
    case dialogAfter = "dialog_after"
    case dismissedIsDenied = "dismissed_is_denied"
    case failureReason = "failure_reason"
    case grantUndisclosed = "grant_undisclosed"
    case inferSkip = "infer_skip"
    case knownStep = "known_step"
    case limitedHint = "limited_hint"
    case limitedIsAccess = "limited_is_access"
    case lockedWhen = "locked_when"
    case manualEntryOnDenied = "manual_entry_on_denied"
    case maxItems = "max_items"
    case minItems = "min_items"
    case noPersonalData = "no_personal_data"
    case noSecondDecision = "no_second_decision"
    case notAfterCompletion = "not_after_completion"
    case onlyIfAllGranted = "only_if_all_granted"
    case permissionOrder = "permission_order"
    case permissionProgress = "permission_progress"
    case preAlertWithoutAlert = "pre_alert_without_alert"
    case prePromptBeforeDecision = "pre_prompt_before_decision"
    case progress
    case recoveredViaSettings = "recovered_via_settings"
    case skipDelay = "skip_delay"
    case skippable
    case startTrigger = "start_trigger"
  }
}

/// The parameters of one kind of rule, with everything that the kind determines: its JSON, its sentence in reports, and
/// the events that it depends on.
protocol FlowRuleParameters: Hashable, Sendable {
  static var kind: FlowRule.Kind { get }
  /// The keys that the rule must have, in addition to `rule`. By default, none.
  static var requiredKeys: [String] { get }
  /// The keys that the rule may have. By default, none.
  static var optionalKeys: [String] { get }
  /// Whether a group can break the rule. Other kinds state facts, or are enforced when events are ingested.
  static var canBeBroken: Bool { get }

  /// Reads the parameters, or reports problems and returns `nil` if a required one is absent or invalid.
  init?(_ reader: FlowRuleReader)

  /// Returns the requirement or the fact as a sentence without a period.
  ///
  /// - Parameter target: The permission or step that the sentence is about, or `nil` for all that the rule names.
  func sentence(target: String?) -> String

  /// Returns the keys of the properties of events of a name that the rule depends on. By default, none.
  func factKeys(ofEvent name: String) -> [String]

  /// Returns the relation of an event to the rule, or `nil` if the rule does not apply to the event. By default, it applies
  /// to none.
  ///
  /// - Parameter value: A closure that returns the value of a property, or null if the event does not have it.
  func verdict(onEvent name: String, step: String?, value: (String) -> PropertyValue) -> RuleVerdict?

  /// The property values that the rule requires of events. By default, none.
  var requiredValues: [RequiredValue] { get }
}

/// The relation of an event's properties to a rule that applies to the event.
enum RuleVerdict {
  /// The properties meet the rule, or its other conditions are not about properties.
  case consistent
  /// The properties contradict the rule.
  case contradiction
  /// The trigger of the start is that of a later start (`start_trigger`), which is valid only after an earlier one.
  case laterStart
}

/// A property value that a rule requires of an event.
struct RequiredValue {
  /// The name of the event.
  let event: String
  /// The property and its value.
  let condition: PropertyCondition
  /// The path to the value within the rule.
  let path: [DefinitionLocations.PathPart]

  /// Creates a requirement. The path is a key of the rule, and the index of an element if its value is an array.
  init(event: String, property: String, value: String, key: String, index: Int? = nil) {
    self.event = event
    condition = PropertyCondition(field: .property(property), value: .string(value))
    path = [.key(key)] + (index.map { [.index($0)] } ?? [])
  }
}

/// A kind of rule without parameters.
protocol ParameterlessRule: FlowRuleParameters {
  init()
}

extension ParameterlessRule {
  init?(_ reader: FlowRuleReader) { self.init() }
}

extension FlowRuleParameters {
  static var requiredKeys: [String] { [] }
  static var optionalKeys: [String] { [] }
  static var canBeBroken: Bool { true }
  var requiredValues: [RequiredValue] { [] }

  func factKeys(ofEvent name: String) -> [String] { [] }
  func verdict(onEvent name: String, step: String?, value: (String) -> PropertyValue) -> RuleVerdict? { nil }
}

extension FlowRule {
  /// The parameters of the rule.
  var parameters: any FlowRuleParameters {
    switch self {
    case .advanceWhenAllHandled(let parameters): parameters
    case .autoVerifyAfter(let parameters): parameters
    case .backFrom(let parameters): parameters
    case .dialogAfter(let parameters): parameters
    case .dismissedIsDenied(let parameters): parameters
    case .failureReason(let parameters): parameters
    case .grantUndisclosed(let parameters): parameters
    case .inferSkip: InferSkip()
    case .knownStep: KnownStep()
    case .limitedHint(let parameters): parameters
    case .limitedIsAccess(let parameters): parameters
    case .lockedWhen(let parameters): parameters
    case .manualEntryOnDenied(let parameters): parameters
    case .maxItems(let parameters): parameters
    case .minItems(let parameters): parameters
    case .noPersonalData(let parameters): parameters
    case .noSecondDecision: NoSecondDecision()
    case .notAfterCompletion: NotAfterCompletion()
    case .onlyIfAllGranted(let parameters): parameters
    case .permissionOrder(let parameters): parameters
    case .permissionProgress(let parameters): parameters
    case .preAlertWithoutAlert(let parameters): parameters
    case .prePromptBeforeDecision: PrePromptBeforeDecision()
    case .progress: Progress()
    case .recoveredViaSettings(let parameters): parameters
    case .skipDelay(let parameters): parameters
    case .skippable(let parameters): parameters
    case .startTrigger(let parameters): parameters
    }
  }

  /// The kind of the rule.
  package var kind: Kind { type(of: parameters).kind }

  /// Whether a group can break the rule. Other rules state facts, or are enforced when events are ingested.
  package var canBeBroken: Bool { type(of: parameters).canBeBroken }

  /// Returns the requirement of the rule, or the fact that it states, as a sentence without a period: "photos is asked
  /// for on a screen of the app before the system's dialog".
  ///
  /// - Parameter target: The permission or step that the sentence is about, or `nil` for all that the rule names.
  package func sentence(target: String?) -> String { parameters.sentence(target: target) }
}
