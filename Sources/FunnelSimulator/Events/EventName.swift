import FunnelModel

/// The names of the events that the simulated apps log.
enum EventName {
  case permissionFlowStart, permissionFlowCompleted
  case step(StepEventName)
  /// The names that older builds of smilepile use for `step_viewed` and `onboarding_completed`.
  case onboardingStep, hasCompletedOnboarding
  case onboardingCompleted
  case challengeIssued, challengeOpened, challengeVerified, challengeAttempted, challengeFailed, challengeSkipped
  case paywallShown, productSelected
  case purchaseCompleted, purchaseCancelled, purchasePending, purchaseFailed, purchaseRestored
  case permission(Permission, PermissionEventName.Suffix)

  /// Appends the name as it is written in the log.
  @inline(__always)
  func append(to bytes: inout [UInt8]) {
    switch self {
    case .step(let name): bytes.append(text: name.rawValue)
    case .permission(let permission, let suffix):
      bytes.append(text: PermissionEventName.prefix)
      bytes.append(text: permission.text)
      bytes.append(UInt8(ascii: "_"))
      bytes.append(text: suffix.rawValue)
    default: bytes.append(text: text)
    }
  }

  private var text: StaticString {
    switch self {
    case .permissionFlowStart: "perm_flow_start"
    case .permissionFlowCompleted: "perm_flow_completed"
    case .onboardingStep: "onboarding_step"
    case .hasCompletedOnboarding: "has_completed_onboarding"
    case .onboardingCompleted: "onboarding_completed"
    case .challengeIssued: "challenge_issued"
    case .challengeOpened: "challenge_opened"
    case .challengeVerified: "challenge_verified"
    case .challengeAttempted: "challenge_attempted"
    case .challengeFailed: "challenge_failed"
    case .challengeSkipped: "challenge_skipped"
    case .paywallShown: "paywall_shown"
    case .productSelected: "product_selected"
    case .purchaseCompleted: "purchase_completed"
    case .purchaseCancelled: "purchase_cancelled"
    case .purchasePending: "purchase_pending"
    case .purchaseFailed: "purchase_failed"
    case .purchaseRestored: "purchase_restored"
    case .step, .permission: ""
    }
  }
}

/// The permissions that the four apps ask for, by the names they log.
enum Permission: UInt8, CaseIterable {
  case photos, contacts, push, notifications, location, healthkit, health, familyControls

  var text: StaticString {
    switch self {
    case .photos: "photos"
    case .contacts: "contacts"
    case .push: "push"
    case .notifications: "notifications"
    case .location: "location"
    case .healthkit: "healthkit"
    case .health: "health"
    case .familyControls: "family_controls"
    }
  }
}
