/// A defect of an app that breaks one rule of a flow. A subject meets at most one, and none if its clock is wrong.
///
/// A defect shows only where the subject comes to the place: a false "all set" needs somebody who gets that far.
enum Fault: UInt8 {
  case none
  /// The system's dialog appears without a pre-prompt.
  case unprimedDialog
  /// "You're all set!" is shown although not all permissions were granted.
  case falseAllSet
  /// The flow's first start names the trigger of a later one, and the other way round.
  case wrongTrigger
  /// The priming screens come in another order.
  case permissionsOutOfOrder
  /// The progress bar counts the steps wrongly.
  case wrongProgress
  /// The system's dialog appears without a tap on the Enable button.
  case dialogWithoutTap
  /// A skip does not wait until its explanation has been shown long enough.
  case earlySkip
  /// A skip shows no explanation at all.
  case unexplainedSkip
  /// The flow goes to its last step before all permissions were asked for.
  case earlyFinish
  /// A step accepts none of the items it needs.
  case tooFewItems
  /// A step accepts more items than its limit.
  case tooManyItems
  /// A step that is not optional is skipped.
  case skipNotAllowed
  /// People go back from a step that has no way back.
  case backNotAllowed
  /// A challenge asks for a call where a message is due, and the other way round.
  case wrongLayer
  /// A challenge fails for the reason of another type.
  case wrongReason
  /// A call fails as too short although it was long enough.
  case longCallTooShort
  /// A challenge is verified automatically although nobody was reached that day.
  case earlyAutoVerify
  /// A pre-prompt for contacts or location can be passed without the dialog.
  case skippedPreAlert
  /// The answer to a dialog is logged a second time.
  case secondDecision
  /// The flow begins again after it was completed.
  case startAfterCompletion
  /// A screen of another version is shown.
  case unknownStep
}

extension Fault {
  /// The share of subjects that meet a defect of their app.
  private var share: Double {
    switch self {
    case .none: 0
    case .unprimedDialog, .falseAllSet: 0.015
    default: 0.008
    }
  }

  /// Returns a defect at random, or none, which is by far the most likely.
  static func draw(in app: SimulatedApp, _ build: AppBuild, _ random: inout RandomSource) -> Fault {
    var rest = random.uniform()
    for fault in all(in: app) {
      rest -= fault.share
      if rest < 0 { return fault.isPossible(in: app, build) ? fault : .none }
    }
    return .none
  }

  private static func all(in app: SimulatedApp) -> [Fault] {
    switch app {
    case .cleaner: ofCleaner
    case .trendy: ofTrendy
    case .clarity: ofClarity
    case .smilepile: ofSmilepile
    case .declared: ofDeclaredFlows
    }
  }

  /// The breaches of the rules that hold for every flow.
  private static let ofEveryFlow: [Fault] = [.unprimedDialog, .secondDecision, .startAfterCompletion, .unknownStep]
  private static let ofDeclaredFlows = ofEveryFlow + [.skippedPreAlert]
  private static let ofCleaner = ofEveryFlow + [.falseAllSet, .wrongTrigger]
  private static let ofTrendy: [Fault] = [
    .permissionsOutOfOrder, .wrongProgress, .dialogWithoutTap, .earlySkip, .unexplainedSkip, .earlyFinish, .secondDecision,
    .startAfterCompletion, .unknownStep,
  ]
  private static let ofClarity =
    ofEveryFlow + [.tooManyItems, .wrongLayer, .wrongReason, .longCallTooShort, .earlyAutoVerify, .skippedPreAlert]
  private static let ofSmilepile: [Fault] = [
    .tooFewItems, .tooManyItems, .skipNotAllowed, .backNotAllowed, .wrongProgress, .startAfterCompletion, .unknownStep,
  ]

  private func isPossible(in app: SimulatedApp, _ build: AppBuild) -> Bool {
    switch self {
    // A step is unknown only to a flow version that a `step_*` event names.
    case .unknownStep: build.namesFlow && !build.isLegacy
    // Older builds of cleaner log no such screen.
    case .falseAllSet: !build.isLegacy
    // Version 1 has no rule about steps back, and only its newer builds log the progress.
    case .backNotAllowed: build.flowVersion == 2
    case .wrongProgress: app == .trendy || build.flowVersion == 1 && !build.isLegacy
    // Version 1 of clarity's onboarding asks for neither people nor networks.
    case .tooManyItems: app == .smilepile || build.flowVersion == 2
    case .skippedPreAlert: app != .clarity || build.flowVersion == 2
    default: true
    }
  }
}
