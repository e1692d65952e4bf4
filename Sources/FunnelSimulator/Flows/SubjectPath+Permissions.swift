import FunnelModel

/// Requests for permissions: pre-prompt, system dialog, answer.
extension SubjectPath {
  /// The way an app asks for a permission.
  struct Manner {
    /// Whether the app logs taps on an Enable button and has a "Skip for now" link that first explains the consequences (trendy).
    var hasEnableButton = false
    /// Whether the app logs skips, partial access and dismissed dialogs; old builds log only granted and denied.
    var isThorough = true
    /// The properties of the pre-prompt's event.
    var promptDetail = EventDetail.none
  }

  /// The time for which trendy explains what a skip gives up, in milliseconds.
  static let skipExplanationMilliseconds: Int64 = 1500

  /// Shows the pre-prompt of a permission, and the dialog if the subject accepts.
  ///
  /// - Returns: The answer, or `undecided` if the subject left without one.
  mutating func ask(_ permission: Permission, _ manner: Manner) -> PermissionAnswer {
    if persona.fault == .unprimedDialog, !manner.hasEnableButton {
      return answerDialog(permission, manner, grant: PermissionRates.coldGrant)
    }
    let rates = permission.rates
    log(.permission(permission, .prePromptShown), manner.promptDetail)
    if random.chance(PermissionRates.leavePrompt) { return .undecided }
    dwell(medianSeconds: 3.5)
    let effect = persona.isVariantB ? PermissionRates.variantEffect / 2 : -PermissionRates.variantEffect / 2
    guard random.chance(rates.acceptance + effect) else {
      skip(permission, manner)
      return .skipped
    }
    if manner.hasEnableButton { log(.permission(permission, .enableTapped)) }
    return answerDialog(permission, manner, grant: rates.grant)
  }

  private mutating func skip(_ permission: Permission, _ manner: Manner) {
    self[answer: permission] = .skipped
    if manner.hasEnableButton {
      log(.permission(permission, .skipExplained))
      now += Self.skipExplanationMilliseconds
    }
    if manner.isThorough { log(.permission(permission, .skipped)) }
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
    switch answer {
    case .limited where manner.isThorough: log(.permission(permission, .limited))
    case .granted, .limited: log(.permission(permission, .granted))
    case .denied, .undecided, .skipped:
      // Only cleaner's dialogs can be dismissed, and it logs dismissals separately since build 3.
      if manner.isThorough, flow == .cleanerPermissions, random.chance(PermissionRates.dismissal) {
        log(.permission(permission, .dialogDismissed), .reason(.dismissed))
      } else {
        log(.permission(permission, .denied))
      }
    }
  }

  /// Simulates late grants, hours or days after the flow: in Settings after a denial, or when a feature asks again after a skip.
  mutating func recover(_ permissions: [Permission]) {
    for permission in permissions {
      let delay = 3_600_000 + random.logNormal(medianMilliseconds: 64_800_000, spread: 1)
      switch self[answer: permission] {
      case .denied where random.chance(PermissionRates.settingsRecovery):
        log(.permission(permission, .granted), after: delay)
      case .skipped where persona.fault != .unprimedDialog && random.chance(PermissionRates.laterGrant):
        log(.permission(permission, .prePromptShown), after: delay)
        if flow == .trendyOnboarding { log(.permission(permission, .enableTapped), after: delay + 2300) }
        log(.permission(permission, .granted), after: delay + 4200)
      default: break
      }
    }
  }
}
