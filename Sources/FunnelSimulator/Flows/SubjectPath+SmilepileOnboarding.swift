import FunnelModel

/// The flow smilepile/onboarding: version 1 has a screen to import photos, version 2 does not.
extension SubjectPath {
  private static let smilepileBeginning = [
    Screen(step: .welcome, medianSeconds: 5, leaving: 0.07),
    Screen(step: .categories, medianSeconds: 24, leaving: 0.12, allowsBack: true),
  ]
  private static let smilepileImport = [Screen(step: .photoImport, medianSeconds: 40, leaving: 0.2)]
  private static let smilepileEnd = [
    Screen(step: .pinSetup, medianSeconds: 11, leaving: 0.07, allowsBack: true),
    Screen(step: .complete, medianSeconds: 4, leaving: 0),
  ]
  private static let smilepileScreens = [
    smilepileBeginning + smilepileImport + smilepileEnd, smilepileBeginning + smilepileEnd,
  ]

  mutating func runSmilepileOnboarding() {
    enter(.smilepileOnboarding, version: persona.build.flowVersion)
    let screens = Self.smilepileScreens[Int(version) - 1]
    let isDone = attemptUntilDone { path in
      path.walk(screens) { path, screen in path.passSmilepile(screen) }
    }
    guard isDone else { return }
    dwell(medianSeconds: 3)
    log(.known(persona.build.isLegacy ? .hasCompletedOnboarding : .onboardingCompleted))
    startAfterCompletion(screens)
  }

  private mutating func passSmilepile(_ screen: Screen) -> Passage {
    switch screen.step {
    case .categories: return createPiles()
    case .pinSetup: return setUpPIN()
    default: return .completed(.none)
    }
  }

  /// Simulates the creation of one to five piles; none or more than five is a failure.
  private mutating func createPiles() -> Passage {
    while random.chance(0.09) {
      log(.step(.failed), step: .categories, .reason(random.chance(0.6) ? .noPiles : .tooManyPiles))
      if random.chance(0.15) { return .left }
      react(medianSeconds: 6)
    }
    let piles = UInt8(1 + random.index(byWeight: [18, 27, 30, 15, 10]))
    switch persona.fault {
    case .skipNotAllowed: return .skipped(nil)
    case .tooFewItems: return .completed(.piles(0))
    case .tooManyItems: return .completed(.piles(6))
    default: return .completed(.piles(piles))
    }
  }

  /// Simulates the PIN, which is typed twice or skipped. Version 1 also logs a skipped step as completed, without a PIN.
  private mutating func setUpPIN() -> Passage {
    if random.chance(0.27) { return .skipped(version == 1 ? .pinSet(false) : nil) }
    while random.chance(0.13) {
      log(.step(.failed), step: .pinSetup, .reason(.pinMismatch))
      if random.chance(0.12) { return .left }
      if random.chance(0.15) {
        react(medianSeconds: 3)
        return .skipped(version == 1 ? .pinSet(false) : nil)
      }
      react(medianSeconds: 7)
    }
    return .completed(.pinSet(true))
  }
}
