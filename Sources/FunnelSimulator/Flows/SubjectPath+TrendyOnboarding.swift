import FunnelModel

/// The flow trendy/onboarding: six screens, of which the fifth asks for three permissions in consecutive priming screens.
extension SubjectPath {
  private static let trendyScreens = [
    Screen(step: .welcome, medianSeconds: 4, leaving: 0.08),
    Screen(step: .auth, medianSeconds: 22, leaving: 0.17),
    Screen(step: .createEventType, medianSeconds: 26, leaving: 0.14, allowsBack: true),
    Screen(step: .logFirstEvent, medianSeconds: 15, leaving: 0.12, allowsBack: true),
    Screen(step: .permissions, medianSeconds: 1, leaving: 0.02),
    Screen(step: .finish, medianSeconds: 3, leaving: 0),
  ]

  private static let trendyAsks: [Permission] = [.notifications, .location, .healthkit]
  /// The index of the screen that asks for the permissions.
  private static let trendyAskingScreen = 4

  mutating func runTrendyOnboarding() {
    enter(.trendyOnboarding)
    let isDone = attemptUntilDone { path in
      path.walk(Self.trendyScreens) { path, screen in path.passTrendy(screen) }
    }
    if isDone {
      dwell(medianSeconds: 3)
      log(.step(.completed), step: .finish)
      startAfterCompletion(Self.trendyScreens)
    }
    recover(Self.trendyAsks)
  }

  private mutating func passTrendy(_ screen: Screen) -> Passage {
    switch screen.step {
    case .auth:
      while random.chance(0.07) {
        log(.step(.failed), step: .auth, .reason(random.chance(0.7) ? .wrongPassword : .network))
        if random.chance(0.3) { return .left }
        react(medianSeconds: 9)
      }
    case .permissions: if !askInTurn() { return .left }
    default: break
    }
    return .completed(.durationMilliseconds(UInt32(clamping: now - screenOpened)))
  }

  /// Shows the priming screens. The progress of the i-th of three is 0.8 + 0.2·i/3, where 0.8 is that of the screen they belong to.
  ///
  /// - Returns: Whether the flow goes on.
  private mutating func askInTurn() -> Bool {
    let start = progress(ofScreen: Self.trendyAskingScreen, of: Self.trendyScreens.count)
    var asks = Array(Self.trendyAsks.enumerated())
    if persona.fault == .permissionsOutOfOrder { asks.reverse() }
    if persona.fault == .earlyFinish { asks.removeLast() }
    for (index, permission) in asks {
      let progress = start + 0.2 * Double(index) / Double(Self.trendyAsks.count)
      if ask(permission, Manner(hasEnableButton: true, promptDetail: .progress(progress))) == .undecided { return false }
      transition()
    }
    return true
  }
}
