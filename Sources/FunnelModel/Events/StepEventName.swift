/// The names of events about a step (specification section 6).
package enum StepEventName: String, Hashable, Sendable, CaseIterable {
  case viewed = "step_viewed"
  case completed = "step_completed"
  case skipped = "step_skipped"
  case failed = "step_failed"
  case back = "step_back"

  /// The prefix of all names. Every event whose name has it must name a step, even if the name is not one of the cases.
  package static let prefix = "step_"

  /// Returns whether events of a name are about a step.
  package static func isAboutStep(_ name: String) -> Bool { name.hasPrefix(prefix) }

  /// The way in which a group left the flow if this is its last event and it dropped off.
  var exit: ExitKind {
    switch self {
    case .viewed, .completed: .left
    case .skipped: .skipped
    case .failed: .failed
    case .back: .back
    }
  }
}
