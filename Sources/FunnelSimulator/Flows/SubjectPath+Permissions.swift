import FunnelModel

/// The rates at which people agree, as shares of those who see a pre-prompt or a dialog.
struct PermissionRates {
  /// The share that taps "continue" on the pre-prompt, as the mean of both variants.
  var acceptance: Double
  /// The share of these that then grants in the system's dialog, in full or in part.
  var grant: Double
  /// The share of the grants that is partial.
  var limited = 0.0

  /// The amount by which variant B's text raises acceptance over variant A's.
  private static let variantEffect = 0.05
  /// The share that grants in a dialog without a pre-prompt.
  static let coldGrant = 0.47
  /// The share that leaves the app while the pre-prompt is open.
  static let leavePrompt = 0.035
  /// The share that leaves the app while it explains what a skip gives up.
  static let leaveExplanation = 0.04
  /// The share of denials that dismiss the dialog instead of answering it.
  static let dismissal = 0.06
  /// The share of those who denied that grants in Settings later.
  static let settingsRecovery = 0.05
  /// The share of those who skipped that grants when asked again later.
  static let laterGrant = 0.03
  /// The share of those without access to photos who open a feature that is locked because of it.
  static let lockedFeatureVisit = 0.5
  /// The share of these that goes on to Settings, or to the dialog if the system has not asked yet.
  static let lockedFeatureAcceptance = 0.5
  /// The share of these that grants.
  static let lockedFeatureGrant = 0.4

  /// Returns the share that accepts a variant of the pre-prompt.
  func acceptance(isVariantB: Bool) -> Double {
    acceptance + (isVariantB ? Self.variantEffect / 2 : -Self.variantEffect / 2)
  }
}

extension Permission {
  var rates: PermissionRates {
    switch self {
    case .photos: PermissionRates(acceptance: 0.725, grant: 0.89, limited: 0.24)
    case .contacts: PermissionRates(acceptance: 0.61, grant: 0.755, limited: 0.07)
    case .push: PermissionRates(acceptance: 0.645, grant: 0.8)
    case .notifications: PermissionRates(acceptance: 0.645, grant: 0.81)
    case .location: PermissionRates(acceptance: 0.685, grant: 0.84)
    case .healthkit: PermissionRates(acceptance: 0.66, grant: 0.9)
    case .health: PermissionRates(acceptance: 0.67, grant: 0.88)
    case .familyControls: PermissionRates(acceptance: 0.725, grant: 0.87)
    }
  }
}

/// Requests for permissions: pre-prompt, system dialog, answer.
extension SubjectPath {
  /// The way an app asks for a permission.
  struct Manner {
    /// Whether the app logs taps on an Enable button and has a "Skip for now" link that first explains the consequences (trendy).
    var hasEnableButton = false
    /// Whether the app logs skips, partial access and dismissed dialogs; old builds log only granted and denied.
    var isThorough = true
    /// Whether people can decline on the pre-prompt. Otherwise it always leads to the dialog, as Apple's Human Interface Guidelines
    /// ask for contacts and location; those who would have declined there deny in the dialog.
    var hasWayPast = true
    /// The properties of the pre-prompt's event.
    var promptDetail = EventDetail.none
  }

  /// The time for which trendy explains what a skip gives up, in milliseconds.
  static let skipExplanationMilliseconds: Int64 = 1500

  /// Shows the pre-prompt of a permission, and the dialog if the subject accepts.
  ///
  /// - Returns: The answer, or `undecided` if the subject left the flow here.
  mutating func ask(_ permission: Permission, _ manner: Manner) -> PermissionAnswer {
    if persona.fault == .unprimedDialog, !manner.hasEnableButton {
      return answerDialog(permission, manner, grant: PermissionRates.coldGrant)
    }
    let rates = permission.rates
    log(.permission(permission, .prePromptShown), manner.promptDetail)
    if random.chance(PermissionRates.leavePrompt) { return .undecided }
    dwell(medianSeconds: 3.5)
    let accepts = random.chance(rates.acceptance(isVariantB: persona.isVariantB))
    if manner.hasWayPast ? !accepts : persona.fault == .skippedPreAlert { return skip(permission, manner) }
    if manner.hasEnableButton, persona.fault != .dialogWithoutTap { log(.permission(permission, .enableTapped)) }
    return answerDialog(permission, manner, grant: accepts ? rates.grant : 0)
  }

  /// Declines on the pre-prompt.
  ///
  /// - Returns: `skipped`, or `undecided` if the subject left while the app explained what a skip gives up.
  private mutating func skip(_ permission: Permission, _ manner: Manner) -> PermissionAnswer {
    self[answer: permission] = .skipped
    if manner.hasEnableButton, persona.fault != .unexplainedSkip {
      log(.permission(permission, .skipExplained))
      if random.chance(PermissionRates.leaveExplanation) { return .undecided }
      now += persona.fault == .earlySkip ? random.integer(in: 150...1_200) : Self.skipExplanationMilliseconds
    }
    if manner.isThorough { log(.permission(permission, .skipped)) }
    return .skipped
  }

  private mutating func answerDialog(_ permission: Permission, _ manner: Manner, grant: Double) -> PermissionAnswer {
    // The system asks once; afterwards it returns the earlier answer without a dialog.
    switch self[answer: permission] {
    case .undecided, .skipped:
      react(medianSeconds: 2.2)
      self[answer: permission] = decide(permission, grant: grant)
    case .granted, .limited, .denied:
      transition()
    }
    let answer = self[answer: permission]
    logAnswer(answer, to: permission, manner)
    return answer
  }

  private mutating func decide(_ permission: Permission, grant: Double) -> PermissionAnswer {
    let isGranted = random.chance(grant)
    let isLimited = random.chance(permission.rates.limited)
    guard isGranted else { return .denied }
    let canBeLimited = permission != .contacts || DeviceTraits.systems[persona.system].sharesContactsInPart
    return isLimited && canBeLimited ? .limited : .granted
  }

  private mutating func logAnswer(_ answer: PermissionAnswer, to permission: Permission, _ manner: Manner) {
    var suffix = PermissionEventName.Suffix.denied
    switch answer {
    case .limited where manner.isThorough: suffix = .limited
    case .granted, .limited: suffix = .granted
    case .denied, .undecided, .skipped:
      // Only cleaner's dialogs can be dismissed, and it logs dismissals separately since build 3.
      if manner.isThorough, flow == .cleanerPermissions, random.chance(PermissionRates.dismissal) { suffix = .dialogDismissed }
    }
    let detail: EventDetail = suffix == .dialogDismissed ? .reason(.dismissed) : .none
    log(.permission(permission, suffix), detail)
    if persona.fault == .secondDecision {
      // Equal decisions at most 5 s apart count as one.
      log(.permission(permission, suffix), detail, after: random.integer(in: 6_000...25_000))
    }
  }

  /// Simulates late grants, hours or days after the flow, of those who denied or skipped: the app shows its pre-prompt again, because
  /// a feature needs the permission. After a denial it leads to Settings instead of the system's dialog.
  mutating func recover(_ permissions: [Permission]) {
    guard persona.fault != .unprimedDialog else { return }
    for permission in permissions {
      let delay = 3_600_000 + random.logNormal(medianMilliseconds: 64_800_000, spread: 1)
      switch self[answer: permission] {
      case .denied where random.chance(PermissionRates.settingsRecovery): grantLate(permission, after: delay, in: 21_000)
      case .skipped where random.chance(PermissionRates.laterGrant): grantLate(permission, after: delay, in: 1_900)
      default: break
      }
    }
  }

  private mutating func grantLate(_ permission: Permission, after delay: Int64, in decision: Int64) {
    log(.permission(permission, .prePromptShown), after: delay)
    if flow == .trendyOnboarding { log(.permission(permission, .enableTapped), after: delay + 2_300) }
    log(.permission(permission, .granted), after: delay + 2_300 + decision)
  }
}
