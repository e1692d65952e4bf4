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
      view(screen, index, of: screens.count)
      if index == screens.count - 1 { return true }
      if index == 0 { breakRule(on: screen) }
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

  /// Shows the first screen once more, long after the flow was completed, if the subject meets that defect.
  mutating func startAfterCompletion(_ screens: [Screen]) {
    guard persona.fault == .startAfterCompletion else { return }
    let completed = now
    attempt += 1
    returnLater(medianHours: 30)
    view(screens[0], 0, of: screens.count)
    react(medianSeconds: 3)
    log(.step(.completed), step: screens[0].step)
    now = completed
  }

  private mutating func view(_ screen: Screen, _ index: Int, of count: Int) {
    screenOpened = now
    if persona.app == .smilepile, persona.build.isLegacy {
      log(.known(.onboardingStep), .screen(screen.step, usesOwnSpelling: persona.build.usesOwnSpelling))
    } else {
      log(.step(.viewed), step: screen.step, showsProgress ? .progress(progress(ofScreen: index, of: count)) : .none)
    }
  }

  /// Whether the flow has a progress bar: trendy's, and version 1 of smilepile's, whose oldest builds do not log it.
  private var showsProgress: Bool {
    persona.app == .trendy || persona.app == .smilepile && version == 1 && !persona.build.isLegacy
  }

  /// Returns the progress at a screen: that of screen i of n is i/(n-1), and a defective bar never reaches its end.
  func progress(ofScreen index: Int, of count: Int) -> Double {
    Double(index) / Double(persona.fault == .wrongProgress ? count : count - 1)
  }

  private mutating func breakRule(on screen: Screen) {
    switch persona.fault {
    case .unknownStep:
      react(medianSeconds: 2)
      log(.step(.viewed), step: .tips)
    case .backNotAllowed:
      react(medianSeconds: 2)
      log(.step(.back), step: screen.step)
    default: break
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

/// Attempts: leaving a flow and starting it again.
extension SubjectPath {
  /// The share of subjects who start again after they left a flow unfinished.
  static let reentryShare = 0.2
  /// The maximum number of attempts of one subject at one flow, without forced ones.
  static let attemptsMax = 3

  /// Runs through a flow until it is completed or the subject leaves for good. Each new start is a new attempt.
  ///
  /// - Returns: Whether the flow was completed.
  mutating func attemptUntilDone(_ runThrough: (inout SubjectPath) -> Bool) -> Bool {
    while true {
      if runThrough(&self) { return true }
      guard Int(attempt) + 1 < Self.attemptsMax, random.chance(Self.reentryShare) else { return false }
      attempt += 1
      returnLater(medianHours: 20)
    }
  }
}
