extension FlowRule {
  /// The kind of the rule.
  public var kind: Kind {
    switch self {
    case .advanceWhenAllHandled: .advanceWhenAllHandled
    case .autoVerifyAfter: .autoVerifyAfter
    case .backFrom: .backFrom
    case .dialogAfter: .dialogAfter
    case .dismissedIsDenied: .dismissedIsDenied
    case .failureReason: .failureReason
    case .grantUndisclosed: .grantUndisclosed
    case .inferSkip: .inferSkip
    case .knownStep: .knownStep
    case .limitedHint: .limitedHint
    case .limitedIsAccess: .limitedIsAccess
    case .lockedWhen: .lockedWhen
    case .manualEntryOnDenied: .manualEntryOnDenied
    case .maxItems: .maxItems
    case .minItems: .minItems
    case .noPersonalData: .noPersonalData
    case .noSecondDecision: .noSecondDecision
    case .notAfterCompletion: .notAfterCompletion
    case .onlyIfAllGranted: .onlyIfAllGranted
    case .permissionOrder: .permissionOrder
    case .permissionProgress: .permissionProgress
    case .preAlertWithoutAlert: .preAlertWithoutAlert
    case .prePromptBeforeDecision: .prePromptBeforeDecision
    case .progress: .progress
    case .recoveredViaSettings: .recoveredViaSettings
    case .skipDelay: .skipDelay
    case .skippable: .skippable
    case .startTrigger: .startTrigger
    }
  }
}
