import FunnelModel

/// The walk through a sequence of onboarding screens, as in trendy, clarity and smilepile.
extension SubjectPath {
  /// A screen and how people behave on it.
  struct Screen {
    var step: StepName
    /// The median time people stay, in seconds.
    var medianSeconds: Double
    /// The share of people who leave, for good or until another attempt. It does not include those who leave during the task of the
    /// screen.
    var leaving: Double
    /// Whether people can go back from the screen.
    var allowsBack = false
    /// The properties of the screen's `step_viewed` event.
    var viewDetail = EventDetail.none
  }

  /// The way a screen was left.
  enum Passage {
    case completed(EventDetail)
    /// Skipped. The value is the detail of a completion, for an app that also logs one after a skip.
    case skipped(EventDetail?)
    case left
  }

  private static let backShare = 0.03

  /// Walks from the first screen to the last. `inside` performs the task of a screen, between `step_viewed` and `step_completed`.
  ///
  /// - Returns: Whether the last screen was reached. It is viewed but not completed, because its completion depends on the flow.
  mutating func walk(_ screens: [Screen], inside: (inout SubjectPath, Screen) -> Passage) -> Bool {
    var index = 0
    while true {
      let screen = screens[index]
      view(screen)
      if index == screens.count - 1 { return true }
      if screen.allowsBack, random.chance(Self.backShare) {
        react(medianSeconds: 4)
        log(.step(.back), step: screen.step)
        transition()
        index -= 1
        continue
      }
      guard pass(screen, inside) else { return false }
      transition()
      index += 1
    }
  }

  private mutating func view(_ screen: Screen) {
    screenOpened = now
    if persona.app == .smilepile, persona.build.isLegacy {
      log(.onboardingStep, .screen(screen.step))
    } else {
      log(.step(.viewed), step: screen.step, screen.viewDetail)
    }
  }

  private mutating func pass(_ screen: Screen, _ inside: (inout SubjectPath, Screen) -> Passage) -> Bool {
    if random.chance(screen.leaving) { return false }
    dwell(medianSeconds: screen.medianSeconds)
    switch inside(&self, screen) {
    case .left: return false
    case .skipped(let completion):
      log(.step(.skipped), step: screen.step)
      if let completion {
        now += 1
        log(.step(.completed), step: screen.step, completion)
      }
    case .completed(let detail):
      log(.step(.completed), step: screen.step, detail)
    }
    return true
  }
}
