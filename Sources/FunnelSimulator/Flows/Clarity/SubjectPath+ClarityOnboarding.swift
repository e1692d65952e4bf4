import FunnelModel

/// The flow clarity/onboarding: seven screens in version 1, nine in version 2.
extension SubjectPath {
  private static let clarityBeginning = [
    Screen(step: .welcome, medianSeconds: 5, leaving: 0.08),
    Screen(step: .assessment, medianSeconds: 48, leaving: 0.16, allowsBack: true),
    Screen(step: .healthPermission, medianSeconds: 3, leaving: 0.05),
    Screen(step: .appSelection, medianSeconds: 14, leaving: 0.08),
  ]
  private static let clarityAdditions = [
    Screen(step: .importantPeople, medianSeconds: 6, leaving: 0.06),
    Screen(step: .homeBase, medianSeconds: 5, leaving: 0.06),
  ]
  private static let clarityEnd = [
    Screen(step: .goalSetting, medianSeconds: 19, leaving: 0.08, allowsBack: true),
    Screen(step: .intentionBuilder, medianSeconds: 31, leaving: 0.1, allowsBack: true),
    Screen(step: .ready, medianSeconds: 3, leaving: 0),
  ]
  private static let clarityScreens = [
    clarityBeginning + clarityEnd, clarityBeginning + clarityAdditions + clarityEnd,
  ]

  /// Runs through the onboarding.
  ///
  /// - Returns: Whether the subject completed it.
  mutating func runClarityOnboarding() -> Bool {
    enter(.clarityOnboarding, version: persona.build.flowVersion)
    let screens = Self.clarityScreens[Int(version) - 1]
    let isDone = attemptUntilDone { path in
      path.walk(screens) { path, screen in path.passClarity(screen) }
    }
    if isDone {
      dwell(medianSeconds: 3)
      log(.step(.completed), step: .ready)
      startAfterCompletion(screens)
    }
    recover(version == 1 ? [.health, .familyControls] : [.health, .familyControls, .contacts, .location])
    return isDone
  }

  private mutating func passClarity(_ screen: Screen) -> Passage {
    switch screen.step {
    case .healthPermission: return passAsking(.health)
    case .appSelection: return passAsking(.familyControls)
    case .importantPeople: return passImportantPeople()
    case .homeBase: return passHomeBase()
    default: return .completed(.none)
    }
  }

  private mutating func passAsking(_ permission: Permission) -> Passage {
    guard ask(permission, Manner()) != .undecided else { return .left }
    react(medianSeconds: 3)
    return .completed(.none)
  }

  /// Simulates the choice of up to five people, from the contacts or, without access, by hand. Only their number is logged.
  private mutating func passImportantPeople() -> Passage {
    let answer = ask(.contacts, Manner(hasWayPast: false))
    if answer == .undecided { return .left }
    let isManual = answer == .denied || answer == .skipped
    dwell(medianSeconds: isManual ? 28 : 12)
    let people = isManual ? random.below(4) : 1 + random.below(5)
    return .completed(.people(persona.fault == .tooManyItems ? 6 : UInt8(people), manualEntry: isManual))
  }

  /// Simulates the choice of up to three networks, by location or, without access or away from any Wi-Fi, by hand.
  private mutating func passHomeBase() -> Passage {
    let answer = ask(.location, Manner(hasWayPast: false))
    if answer == .undecided { return .left }
    let isOnWifi = random.chance(0.82)
    let isManual = answer == .denied || answer == .skipped || !isOnWifi
    dwell(medianSeconds: isManual ? 17 : 6)
    let networks = isManual ? random.below(3) : 1 + random.below(3)
    let isGated = networks > 0 && random.chance(0.6)
    return .completed(
      .networks(persona.fault == .tooManyItems ? 4 : UInt8(networks), wifiGate: isGated, manualEntry: isManual))
  }
}
