/// What happens with a permission. The raw value is the end of the event's name, `perm_<permission>_<event>`.
public enum PermissionEvent: String, Sendable, Hashable, CaseIterable {
  /// The app's own screen before the dialog appeared.
  case prePromptShown = "pre_prompt_shown"
  /// The button that leads to the dialog was tapped.
  case enableTapped = "enable_tapped"
  /// The app explained what is missed without the permission.
  case skipExplained = "skip_explained"
  case granted
  case limited
  case once
  case whileUsing = "while_using"
  case provisional
  case ephemeral
  case denied
  /// The system's dialog was put away without an answer. It counts as denied.
  case dialogDismissed = "dialog_dismissed"
  /// The app's own screen was skipped, so that the system's dialog did not come.
  case skipped

  /// The event of an answer.
  public init(_ outcome: PermissionOutcome) {
    self =
      switch outcome {
      case .granted: .granted
      case .limited: .limited
      case .once: .once
      case .whileUsing: .whileUsing
      case .provisional: .provisional
      case .ephemeral: .ephemeral
      case .denied: .denied
      case .dialogDismissed: .dialogDismissed
      case .skipped: .skipped
      }
  }
}
