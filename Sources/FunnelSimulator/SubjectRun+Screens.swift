/// Walking through a row of onboarding screens, as trendy, clarity and smilepile do.
extension SubjectRun {
  /// A screen and how people fare on it.
  struct Screen {
    var step: StepName
    /// How long people stay, in seconds, as the median.
    var medianSeconds: Double
    /// Share that leaves for good, or until another attempt, what happens inside the screen not counted.
    var leaving: Double
    /// Whether it can be left backwards.
    var allowsBack = false
    /// What `step_viewed` carries.
    var viewDetail = EventDetail.none
  }

  /// How a screen was left.
  enum Passage {
    case completed(EventDetail)
    /// Skipped, and where the app also logs a completion of a skipped step, that.
    case skipped(EventDetail?)
    case left
  }

  private static let backShare = 0.03

  /// Walks from the first screen to the last; `inside` does what a screen asks for, between `step_viewed` and `step_completed`.
  ///
  /// - Returns: whether the last screen came up. It is viewed, but not completed: that is for the flow to say.
  mutating func walk(_ screens: [Screen], inside: (inout SubjectRun, Screen) -> Passage) -> Bool {
    var index = 0
    while true {
      let screen = screens[index]
      view(screen)
      if index == screens.count - 1 { return true }
      if screen.allowsBack, random.chance(Self.backShare) {
        react(medianSeconds: 4)
        log(.stepBack, step: screen.step)
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
      log(.stepViewed, step: screen.step, screen.viewDetail)
    }
  }

  private mutating func pass(_ screen: Screen, _ inside: (inout SubjectRun, Screen) -> Passage) -> Bool {
    if random.chance(screen.leaving) { return false }
    dwell(medianSeconds: screen.medianSeconds)
    switch inside(&self, screen) {
    case .left: return false
    case .skipped(let completion):
      log(.stepSkipped, step: screen.step)
      if let completion {
        now += 1
        log(.stepCompleted, step: screen.step, completion)
      }
    case .completed(let detail):
      log(.stepCompleted, step: screen.step, detail)
    }
    return true
  }
}
