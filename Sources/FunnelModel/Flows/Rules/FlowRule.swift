/// A requirement for every group of a flow, or a fact about the flow that reports use.
///
/// The parameters of a case are a struct of the same name. The steps, permissions and events that a rule names
/// exist in its flow, which is checked when a definition is read.
public enum FlowRule: Hashable, Sendable {
  case advanceWhenAllHandled(AdvanceWhenAllHandled)
  case autoVerifyAfter(AutoVerifyAfter)
  case backFrom(BackFrom)
  case dialogAfter(DialogAfter)
  case dismissedIsDenied(DismissedIsDenied)
  case failureReason(FailureReason)
  case grantUndisclosed(GrantUndisclosed)
  /// A pre-prompt without a decision is a skip if the flow continued after it, because the app does not log every skip.
  case inferSkip
  /// Every `step_*` event that names this flow and version has the ID of one of its steps.
  case knownStep
  case limitedHint(LimitedHint)
  case limitedIsAccess(LimitedIsAccess)
  case lockedWhen(LockedWhen)
  case manualEntryOnDenied(ManualEntryOnDenied)
  case maxItems(MaxItems)
  case minItems(MinItems)
  case noPersonalData(NoPersonalData)
  /// No permission is decided twice without a pre-prompt between the decisions.
  case noSecondDecision
  /// The first required step is not entered again after the last required step was entered.
  case notAfterCompletion
  case onlyIfAllGranted(OnlyIfAllGranted)
  case permissionOrder(PermissionOrder)
  case permissionProgress(PermissionProgress)
  case preAlertWithoutAlert(PreAlertWithoutAlert)
  /// No permission is granted, limited or denied without a preceding pre-prompt.
  case prePromptBeforeDecision
  /// The `progress` of an event that enters a step equals the step's (``FlowStep/progress``).
  case progress
  case recoveredViaSettings(RecoveredViaSettings)
  case skipDelay(SkipDelay)
  case skippable(Skippable)
  case startTrigger(StartTrigger)

  /// The kinds of rules, with their names in a definition.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
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
