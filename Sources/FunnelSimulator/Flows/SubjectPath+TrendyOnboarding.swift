import FunnelModel

/// The flow trendy/onboarding: six screens, of which the fifth asks for three permissions in consecutive priming screens.
extension SubjectPath {
  private static let trendyScreens = [
    Screen(step: .welcome, medianSeconds: 4, leaving: 0.08, viewDetail: .progress(.welcome)),
    Screen(step: .auth, medianSeconds: 22, leaving: 0.17, viewDetail: .progress(.auth)),
    Screen(step: .createEventType, medianSeconds: 26, leaving: 0.14, allowsBack: true, viewDetail: .progress(.createEventType)),
    Screen(step: .logFirstEvent, medianSeconds: 15, leaving: 0.12, allowsBack: true, viewDetail: .progress(.logFirstEvent)),
    Screen(step: .permissions, medianSeconds: 1, leaving: 0.02, viewDetail: .progress(.permissions)),
    Screen(step: .finish, medianSeconds: 3, leaving: 0, viewDetail: .progress(.finish)),
  ]

  private static let trendyAsks: [(Permission, Progress)] = [
    (.notifications, .permissions), (.location, .location), (.healthkit, .healthkit),
  ]

  mutating func runTrendyOnboarding() {
    enter(.trendyOnboarding)
    let isDone = attemptUntilDone { run in
      run.walk(Self.trendyScreens) { run, screen in run.passTrendy(screen) }
    }
    if isDone {
      dwell(medianSeconds: 3)
      log(.step(.completed), step: .finish)
    }
    recover(Self.trendyAsks.map(\.0))
  }

  private mutating func passTrendy(_ screen: Screen) -> Passage {
    switch screen.step {
    case .auth:
      while random.chance(0.07) {
        log(.step(.failed), step: .auth, .reason(random.chance(0.7) ? .wrongPassword : .network))
        if random.chance(0.3) { return .left }
        react(medianSeconds: 9)
      }
    case .permissions:
      for (permission, progress) in Self.trendyAsks {
        let manner = Manner(hasEnableButton: true, promptDetail: .progress(progress))
        let answer = ask(permission, manner)
        if answer == .undecided { return .left }
        transition()
      }
    default: break
    }
    return .completed(.durationMilliseconds(UInt32(clamping: now - screenOpened)))
  }
}
