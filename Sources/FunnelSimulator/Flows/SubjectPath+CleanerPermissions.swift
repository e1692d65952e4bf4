import FunnelModel

/// The flow cleaner/permissions_flow: photos, contacts and sometimes push, each after its pre-prompt.
extension SubjectPath {
  private static let cleanerPermissions: [Permission] = [.photos, .contacts, .push]

  mutating func runCleanerPermissions() {
    enter(.cleanerPermissions)
    let wantsPush = random.chance(0.88)
    let isDone = attemptUntilDone { path in
      let trigger = path.cleanerTrigger()
      return path.runCleanerOnce(trigger: trigger, wantsPush: wantsPush)
    }
    if isDone, persona.fault == .startAfterCompletion {
      attempt += 1
      returnLater(medianHours: 40)
      _ = runCleanerOnce(trigger: .featureFlag, wantsPush: wantsPush)
    }
    if persona.build.isLegacy {
      recover(Self.cleanerPermissions)
    } else {
      recover([.contacts, .push])
      visitLockedFeature()
    }
  }

  /// Returns why the flow is shown: on the first launch, later because it was not completed, sometimes because a flag forces it.
  private mutating func cleanerTrigger() -> Trigger {
    let isForced = random.chance(0.15)
    guard persona.fault != .wrongTrigger else { return attempt == 0 ? .incomplete : .firstLaunch }
    return attempt == 0 ? .firstLaunch : isForced ? .featureFlag : .incomplete
  }

  /// Runs through the flow once. A permission that the system has decided is not requested again; one that was skipped or left open
  /// is.
  private mutating func runCleanerOnce(trigger: Trigger, wantsPush: Bool) -> Bool {
    let manner = Manner(isThorough: !persona.build.isLegacy)
    log(.known(.permissionFlowStart), .trigger(trigger))
    react(medianSeconds: 1.2)
    if random.chance(0.08) { return false }
    if persona.fault == .unknownStep { log(.step(.viewed), step: .tips) }
    for permission in Self.cleanerPermissions where permission != .push || wantsPush {
      switch self[answer: permission] {
      case .granted, .limited, .denied: continue
      case .undecided, .skipped: break
      }
      switch ask(permission, manner) {
      case .undecided: return false
      case .denied, .skipped: if random.chance(0.08) { return false }
      case .granted, .limited: if random.chance(0.035) { return false }
      }
      react(medianSeconds: 0.7)
    }
    return finishCleaner(isThorough: manner.isThorough)
  }

  /// Completes the flow. "You're all set!" comes before or after that, by build; its Continue opens the dashboard.
  private mutating func finishCleaner(isThorough: Bool) -> Bool {
    let isAllGranted = Self.cleanerPermissions.allSatisfy { self[answer: $0] == .granted }
    let showsAllSet = isThorough && (isAllGranted || persona.fault == .falseAllSet)
    if showsAllSet, !persona.build.showsAllSetLast { viewAllSet() }
    if random.chance(0.04) { return false }
    log(.known(.permissionFlowCompleted))
    guard showsAllSet else { return true }
    transition()
    if persona.build.showsAllSetLast {
      viewAllSet()
      if random.chance(0.05) { return true }
    }
    log(.known(.dashboardOpened))
    return true
  }

  private mutating func viewAllSet() {
    log(.step(.viewed), step: .allSet)
    dwell(medianSeconds: 3)
  }

  /// Simulates what some of those without access to photos do hours or days later: they open a feature that needs it and see its
  /// blocking screen. It shows the pre-prompt once more and leads to Settings, or to the dialog if the system has not asked yet.
  private mutating func visitLockedFeature() {
    let answer = self[answer: .photos]
    guard persona.fault != .unprimedDialog, answer == .denied || answer == .skipped,
      random.chance(PermissionRates.lockedFeatureVisit)
    else { return }
    returnLater(medianHours: 16)
    log(.known(.permissionBlockedViewed), .permission(.photos))
    react(medianSeconds: 4)
    guard random.chance(PermissionRates.lockedFeatureAcceptance) else { return }
    log(.permission(.photos, .prePromptShown))
    react(medianSeconds: 3)
    if answer == .denied {
      log(.known(.permissionSettingsTapped), .permission(.photos))
      react(medianSeconds: 14)
    }
    if random.chance(PermissionRates.lockedFeatureGrant) { log(.permission(.photos, .granted)) }
  }
}
