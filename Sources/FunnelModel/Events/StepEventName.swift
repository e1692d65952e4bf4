/// The names of events about a step: `step_viewed` and its siblings (specification section 6).
public enum StepEventName: String, Hashable, Sendable, CaseIterable {
  case viewed = "step_viewed"
  case completed = "step_completed"
  case skipped = "step_skipped"
  case failed = "step_failed"
  case back = "step_back"

  /// The beginning of the names. An event of such a name needs a step, also if its name is none of the known ones.
  public static let prefix = "step_"

  /// Returns whether events of a name are about a step.
  public static func isAboutStep(_ name: String) -> Bool { name.hasPrefix(prefix) }

  /// How a group was left if this is its last event and it dropped off.
  var exit: ExitKind {
    switch self {
    case .viewed, .completed: .left
    case .skipped: .skipped
    case .failed: .failed
    case .back: .back
    }
  }
}
