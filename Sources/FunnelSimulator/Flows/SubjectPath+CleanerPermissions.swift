import FunnelModel

/// The flow cleaner/permissions_flow: photos, contacts and sometimes push, each after its pre-prompt.
extension SubjectPath {
  private static let cleanerPermissions: [Permission] = [.photos, .contacts, .push]

  mutating func runCleanerPermissions() {
    enter(.cleanerPermissions)
    let wantsPush = random.chance(0.88)
    let isDone = attemptUntilDone { run in
      run.runCleanerOnce(trigger: run.attempt == 0 ? .firstLaunch : .incomplete, wantsPush: wantsPush)
    }
    if isDone, random.chance(0.02) {
      attempt += 1
      returnLater(medianHours: 40)
      _ = runCleanerOnce(trigger: .featureFlag, wantsPush: wantsPush)
    }
    recover(Self.cleanerPermissions)
  }

  /// Runs through the flow once. A permission that the system has decided is not requested again; one that was skipped or left open
  /// is.
  private mutating func runCleanerOnce(trigger: Trigger, wantsPush: Bool) -> Bool {
    let manner = Manner(isThorough: !persona.build.isLegacy)
    log(.permissionFlowStart, .trigger(trigger))
    react(medianSeconds: 1.2)
    if random.chance(0.08) { return false }
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

  private mutating func finishCleaner(isThorough: Bool) -> Bool {
    let isAllGranted = Self.cleanerPermissions.allSatisfy { self[answer: $0] == .granted }
    if isThorough, isAllGranted || persona.fault == .falseAllSet {
      log(.step(.viewed), step: .allSet)
      dwell(medianSeconds: 3)
    }
    if random.chance(0.04) { return false }
    log(.permissionFlowCompleted)
    return true
  }
}
