import FunnelModel

/// The names of the events that the simulated apps log.
enum EventName {
  case step(StepEventName)
  case permission(Permission, PermissionEventName.Suffix)
  case known(KnownEventName)
  /// An event of a flow that is simulated from its definition, by its index in ``DeclaredFlows/events``.
  case declared(UInt32)
}

/// The names of the four apps' events that are not about a step or an answer to a permission question.
enum KnownEventName: String {
  case permissionFlowStart = "perm_flow_start"
  case permissionFlowCompleted = "perm_flow_completed"
  case permissionBlockedViewed = "perm_blocked_viewed"
  case permissionSettingsTapped = "perm_settings_tapped"
  case dashboardOpened = "dashboard_opened"
  /// The names that older builds of smilepile use for `step_viewed` and `onboarding_completed`.
  case onboardingStep = "onboarding_step"
  case hasCompletedOnboarding = "has_completed_onboarding"
  case onboardingCompleted = "onboarding_completed"
  case challengeIssued = "challenge_issued"
  case challengeOpened = "challenge_opened"
  case challengeVerified = "challenge_verified"
  case challengeAttempted = "challenge_attempted"
  case challengeFailed = "challenge_failed"
  case challengeSkipped = "challenge_skipped"
  case challengeCancelled = "challenge_cancelled"
  case paywallShown = "paywall_shown"
  case productSelected = "product_selected"
  case purchaseCompleted = "purchase_completed"
  case purchaseCancelled = "purchase_cancelled"
  case purchasePending = "purchase_pending"
  case purchaseFailed = "purchase_failed"
  case purchaseRestored = "purchase_restored"
  case trialStarted = "trial_started"
  case subscriptionStarted = "subscription_started"
  case subscriptionRenewed = "subscription_renewed"
  case subscriptionCancelled = "subscription_cancelled"
  case subscriptionRefunded = "subscription_refunded"
  case subscriptionExpired = "subscription_expired"
  case connectionLogged = "connection_logged"
  case focusSessionStarted = "focus_session_started"
  case focusSessionCompleted = "focus_session_completed"
  case focusSessionAbandoned = "focus_session_abandoned"
  case focusSessionOverridden = "focus_session_overridden"
}

/// The permissions that the four apps ask for, by the names they log.
enum Permission: String, CaseIterable {
  case photos, contacts, push, notifications, location, healthkit, health
  case familyControls = "family_controls"
}
