/// What happens with a permission. The raw value is the end of the event's name, `perm_<permission>_<event>`.
public enum PermissionEvent: String, Sendable, Hashable, CaseIterable {
  /// The app's own screen before the dialog appeared.
  case prePromptShown = "pre_prompt_shown"
  /// The button that leads to the dialog was tapped.
  case enableTapped = "enable_tapped"
  /// The app explained what does not work without the permission.
  case skipExplained = "skip_explained"
  /// Full access.
  case granted
  /// Access to a part, such as chosen photos.
  case limited
  /// Access for this time only.
  case once
  /// Access while the app is used, although it asked for more.
  case whileUsing = "while_using"
  /// Quiet notifications, for which no dialog appears.
  case provisional
  /// Notifications of an app clip, for some hours.
  case ephemeral
  /// No access.
  case denied
  /// The system's dialog was dismissed without an answer. It counts as denied.
  case dialogDismissed = "dialog_dismissed"
  /// The app's own screen was skipped, so the system's dialog did not appear.
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
