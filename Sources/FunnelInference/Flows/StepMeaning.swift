/// The meaning of a step for the goal of a flow, by the words of its name.
enum StepMeaning: Hashable, Sendable {
  /// The step may be what the flow is for.
  case regular
  /// The step undoes something: `subscription_cancelled`, `uninstall`.
  case undoing
  /// The step ends a visit, whatever was done in it: `session_end`, `logout`, `app_background`.
  case leaving

  /// Determines the meaning of a step. A permission is regular.
  init(_ step: InferredStep) {
    switch step {
    case .screen(let id), .event(let id): self.init(name: id)
    case .permission: self = .regular
    }
  }

  /// Determines the meaning of a native name.
  init(name: String) {
    let words = name.split(separator: "_").map(String.init)
    let others = words.filter { !Self.fillers.contains($0) && !Self.visits.contains($0) }.joined(separator: "_")
    if Self.leavingNames.contains(others)
      || Self.leavingNamesOfVisits.contains(others) && words.contains(where: Self.visits.contains)
    {
      self = .leaving
    } else if words.contains(where: Self.undoingWords.contains) {
      self = .undoing
    } else {
      self = .regular
    }
  }

  /// Words for a visit, or for what is open during it.
  private static let visits: Set<String> = [
    "session", "app", "visit", "site", "page", "tab", "window", "browser", "client", "program",
  ]

  /// Words that do not change the meaning of the others.
  private static let fillers: Set<String> = [
    "user", "the", "event", "application", "auto", "did", "will", "was", "on", "to", "in", "into", "enter", "entered", "goes",
    "went", "moved",
    "click", "clicked", "tap", "tapped", "button", "pressed",
  ]

  /// Names that mean leaving, without visits and fillers.
  private static let leavingNames: Set<String> = [
    "logout", "log_out", "logged_out", "logoff", "log_off", "logged_off", "signout", "sign_out", "signed_out", "exit", "exited",
    "quit", "close", "background", "backgrounded", "pageleave",
  ]

  /// Names that mean leaving only if they name the visit: `session_end`, but not `end`.
  private static let leavingNamesOfVisits: Set<String> = [
    "end", "ended", "ends", "stop", "stopped", "closed", "terminate", "terminated", "timeout", "timed_out",
    "expired", "inactive", "suspended", "hidden", "killed", "leave", "left", "unload", "disconnect", "disconnected",
    "destroyed",
  ]

  /// Words that undo something.
  private static let undoingWords: Set<String> = [
    "delete", "deletes", "deleted", "deletion", "cancel", "cancels", "canceled", "cancelled", "canceling", "cancelling",
    "cancelation", "cancellation", "remove", "removes", "removed", "removal", "unsubscribe", "unsubscribes", "unsubscribed",
    "unsubscription", "refund", "refunds", "refunded", "uninstall", "uninstalls", "uninstalled", "churn", "churns", "churned",
    "deactivate", "deactivated", "deactivation", "downgrade", "downgraded", "abort", "aborted", "undo",
  ]
}
