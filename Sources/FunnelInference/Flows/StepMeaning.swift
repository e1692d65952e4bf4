/// The meaning of a step for the goal of a flow, by the words of its name.
enum StepMeaning: Hashable, Sendable {
  /// The step may be what the flow is for.
  case regular
  /// The step undoes something: `subscription_cancelled`, `uninstall`.
  case undoing
  /// The step says that something failed, was refused or was given up: `rejected`, `deal_lost`, `payment_failed`.
  case failing
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
    let isFailing = words.contains(where: Self.failingWords.contains) || Self.hasPair(of: Self.failingPairs, in: words)
    let others = words.filter { !Self.fillers.union(Self.visits).union(Self.messages).contains($0) }.joined(separator: "_")
    if Self.leavingNames.contains(others)
      || Self.leavingNamesOfVisits.contains(others) && words.contains(where: Self.visits.contains)
    {
      self = .leaving
    } else if words.contains(where: Self.undoingWords.contains) {
      self = .undoing
    } else if isFailing {
      self = .failing
    } else if Self.wholeVisitingNames.contains(name) || Self.ambiguousVisitingNames.contains(name)
      || Self.visitingNames.contains(others)
      || Self.visitingNamesOfVisits.contains(others) && words.contains(where: Self.visits.union(Self.messages).contains)
    {
      self = .visiting
    } else {
      self = .regular
    }
  }

  /// Whether a name is that of a visit in the log of an app, and that of a state in another log: the `open` of a ticket.
  static func isAmbiguousVisit(_ name: String) -> Bool { ambiguousVisitingNames.contains(name) }

  /// Whether a name is that of the end of a visit in the log of an app, and that of a state in another log: the `close` of a ticket.
  static func isAmbiguousEnd(_ name: String) -> Bool { ambiguousLeavingNames.contains(name) }

  /// Whether a name is that of a good end, such as `purchase` or `application_approved`.
  static func isGoodEnd(_ name: String) -> Bool {
    StepMeaning(name: name) == .regular && name.split(separator: "_").contains { goodEndWords.contains(String($0)) }
  }

  /// Whether two successive words are one of several pairs, each joined by `_`.
  private static func hasPair(of pairs: Set<String>, in words: [String]) -> Bool {
    zip(words, words.dropFirst()).contains { pairs.contains("\($0)_\($1)") }
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

  /// Whole names that come with each visit.
  private static let wholeVisitingNames: Set<String> = [
    "session", "sessions", "app_session", "user_session", "new_session", "daily_active", "weekly_active", "monthly_active",
    "daily_active_user", "active_user", "active_day", "screen_view", "screen_viewed", "screen_views", "screenview",
    "page_views",
    "return_visit", "repeat_visit", "revisit", "daily_visit", "daily_login",
    // The events that Firebase and Google Analytics collect without being asked to.
    "user_engagement", "scroll", "first_visit", "app_update", "app_clear_data", "app_exception", "os_update",
    "firebase_campaign", "notification_receive", "notification_foreground", "notification_dismiss", "notification_send",
    "ad_impression", "ad_exposure", "ad_query", "adunit_exposure", "dynamic_link_app_update",
  ]

  /// Whole names that come with each visit, unless nearly all who have one had all that leads to the goal before.
  private static let ambiguousVisitingNames: Set<String> = [
    "open", "opens", "launch", "launches", "launched", "active", "visit", "visits",
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

  /// Whole names that mean leaving, unless nearly all who have one have it once, last, and after all that leads to the goal.
  private static let ambiguousLeavingNames: Set<String> = ["close", "exit", "exited", "quit"]

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

  /// Words that say that something failed, was refused or was given up, in the languages of which drafts know the columns.
  private static let failingWords: Set<String> = [
    "reject", "rejects", "rejected", "rejection", "decline", "declines", "declined", "lost", "fail", "fails", "failed",
    "failure",
    "expire", "expires", "expired", "expiration", "dismiss", "dismisses", "dismissed", "dismissal", "withdrawn", "withdrew",
    "void", "voided", "bounce", "bounces", "bounced", "refuse", "refuses", "refused", "refusal", "deny", "denied", "denial",
    "disqualify", "disqualified", "disqualification", "unqualified", "noshow", "abandon", "abandoned", "abandonment", "lapsed",
    "dropout", "unsuccessful", "crash", "crashed", "error", "errors", "timeout", "revoked", "chargeback", "not",
    "abgelehnt", "ablehnung", "abgesagt", "absage", "storniert", "stornierung", "storno", "verloren", "gescheitert",
    "fehlgeschlagen", "abgebrochen", "abbruch", "abgelaufen", "verfallen", "gekundigt", "kundigung", "zuruckgezogen",
    "zuruckgewiesen", "widerrufen", "nicht",
    "rechazado", "rechazada", "cancelado", "cancelada", "perdido", "perdida", "fallido", "fallida", "anulado", "anulada",
    "rejete", "rejetee", "refusee", "annule", "annulee", "perdu", "perdue", "echoue", "abandonnee",
    "rifiutato", "annullato", "fallito", "scaduto", "rejeitado", "recusado", "falhou", "afgewezen", "geannuleerd", "mislukt",
    "geweigerd",
  ]

  /// Two successive words of the same meaning.
  private static let failingPairs: Set<String> = ["no_show", "drop_off", "dropped_off", "dropped_out", "timed_out", "gave_up"]

  /// Words of good ends. They name the goal where few people reach it.
  private static let goodEndWords: Set<String> = [
    "purchase", "purchased", "bought", "paid", "subscribe", "subscribed", "hired", "won", "converted", "complete", "completed",
    "finish", "finished", "done", "success", "succeeded", "approved", "funded", "enrolled", "graduated", "booked", "ordered",
    "delivered", "solved", "resolved", "upgraded", "donated",
  ]
}
