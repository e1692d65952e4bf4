import FunnelModel
import FunnelRendering

/// The groups of one flow version that reached their next step after the window.
struct LateGroups: Hashable, Sendable {
  let flow: FlowDefinition
  /// The number of late groups by the index of the step that they reached late.
  var byStep: [Int]
  /// The number of late groups by the index in ``windowHours`` of the shortest window that counts them. The last element is for
  /// groups that none of these counts.
  var byWindow: [Int]

  /// The windows that a note proposes, in hours.
  static let windowHours = [1, 6, 24] + [3, 7, 14, 30, 60, 90, 180, 365].map { $0 * hoursPerDay }
  /// The number of milliseconds of an hour.
  static let millisecondsPerHour: Int64 = 3_600_000
  private static let hoursPerDay = 24
  /// Late groups are noted if they are at least one for this many that completed.
  private static let completedPerLateMax = 100
  /// The smallest number of late groups that is noted if the definition has the window. Whoever chose it meant to leave out a few.
  private static let chosenLateMin = 3
  /// The proposed window counts at least this share of the late groups, if one does.
  private static let countedShareMin = 0.95
  /// The maximum number of steps in a sentence.
  private static let stepsShownMax = 3

  init(flow: FlowDefinition) {
    self.flow = flow
    byStep = Array(repeating: 0, count: flow.steps.count)
    byWindow = Array(repeating: 0, count: Self.windowHours.count + 1)
  }

  /// Returns a sentence with the numbers and the window that counts the groups, or `nil` if they are few.
  ///
  /// - Parameters:
  ///   - isAdHoc: Whether the flow has no definition. Its window is then a default.
  ///   - completed: The number of groups that completed the flow.
  func sentence(counting noun: CountedNoun, isAdHoc: Bool, completed: Int) -> String? {
    let all = byStep.reduce(0, +)
    guard all >= (isAdHoc ? 1 : Self.chosenLateMin), all * Self.completedPerLateMax >= completed else { return nil }
    let steps = byStep.indices.filter { byStep[$0] > 0 }.sorted { (byStep[$1], $0) < (byStep[$0], $1) }
    let shown = steps.prefix(Self.stepsShownMax).map { "\(HumanNumbers.count(byStep[$0])) \(flow.steps[$0].id)" }
    let more = steps.count > shown.count ? " and \(HumanNumbers.count(steps.count - shown.count)) more steps" : ""
    let window = flow.window.description
    let reason = isAdHoc ? "--steps without --window has a window of \(window)" : "the window of the definition is \(window)"
    return
      "\(flow.reference): \(noun.counted(all)) took the next step more than \(window) after the first one and "
      + "\(all == 1 ? "is" : "are") not counted there, because \(reason): \(shown.joined(separator: ", "))\(more); \(advice(of: all))"
  }

  /// Returns the window that counts most of the late groups, as a clause.
  private func advice(of all: Int) -> String {
    var counted = 0
    for (window, hours) in Self.windowHours.enumerated() {
      counted += byWindow[window]
      guard counted > 0, Double(counted) >= Self.countedShareMin * Double(all) || window == Self.windowHours.count - 1 else {
        continue
      }
      let length = hours < Self.hoursPerDay ? "\(hours)h" : "\(hours / Self.hoursPerDay)d"
      return "--window \(length) counts \(counted == all ? "them" : "\(HumanNumbers.count(counted)) of them")"
    }
    return "a longer --window counts them"
  }
}
