/// The meaning of a step for the goal of a flow, by the words of its name.
enum StepMeaning: Hashable, Sendable {
  /// The step may be what the flow is for.
  case regular
  /// The step undoes something: `subscription_cancelled`, `uninstall`.
  case undoing
  /// The step comes with each visit, whatever is done in it: `session_start`, `app_open`, `login`.
  case visiting
  /// The step ends a visit, whatever was done in it: `session_end`, `logout`, `app_background`.
  case leaving

  /// Determines the meaning of a step. A permission is regular.
  init(_ step: InferredStep) {
    switch step {
    case .event(let id): self.init(name: id)
    case .screen(let id):
      // A screen to sign in is a step of onboarding. Its event says nothing of later visits.
      let meaning = StepMeaning(name: id)
      self = meaning == .visiting ? .regular : meaning
    case .permission: self = .regular
    }
  }

  /// Determines the meaning of a native name.
  init(name: String) {
    let words = name.split(separator: "_").map(String.init)
    let others = words.filter { !Self.fillers.union(Self.visits).union(Self.messages).contains($0) }.joined(separator: "_")
    if Self.leavingNames.contains(others)
      || Self.leavingNamesOfVisits.contains(others) && words.contains(where: Self.visits.contains)
    {
      self = .leaving
    } else if words.contains(where: Self.undoingWords.contains) {
      self = .undoing
    } else if Self.visitingNames.contains(others)
      || Self.visitingNamesOfVisits.contains(others) && words.contains(where: Self.visits.union(Self.messages).contains)
    {
      self = .visiting
    } else {
      self = .regular
    }
  }

  /// Words for a visit, or for what is open during it.
  private static let visits: Set<String> = [
    "session", "app", "visit", "site", "page", "tab", "window", "browser", "client", "program",
  ]

  /// Words for what brings people back.
  private static let messages: Set<String> = ["email", "push", "notification", "newsletter", "reminder"]

  /// Names that come with each visit, without visits, messages and fillers.
  private static let visitingNames: Set<String> = [
    "login", "log_in", "logged_in", "logon", "log_on", "signin", "sign_in", "signed_in", "heartbeat", "ping", "keepalive",
    "keep_alive", "pageview", "foreground", "foregrounded",
  ]

  /// Names that come with each visit only if they name the visit or a message: `session_start`, but not `start`.
  private static let visitingNamesOfVisits: Set<String> = [
    "start", "started", "begin", "began", "open", "opened", "launch", "launched", "view", "viewed", "resume", "resumed",
    "active", "activated", "ping",
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
