/// The interpretation of a permission event's suffix: a valid suffix, a synonym of one, or a word that is not an answer.
///
/// The words come from Apple's frameworks (`authorized`, `provisional`, `restricted`, `notDetermined`), from
/// Android's, and from common usage in logs.
enum PermissionSuffixMeaning: Hashable, Sendable {
  /// A valid suffix, or a synonym of it.
  case suffix(PermissionEventName.Suffix)
  /// A word that does not describe a user's answer, with the reason.
  case noAnswer(String)

  /// Looks up a suffix, or returns `nil` if it is unknown.
  init?(_ suffix: String) {
    guard let meaning = Self.meanings[suffix] else { return nil }
    self = meaning
  }

  /// Looks up the most similar known word, or returns `nil` if none has at most `differencesMax` differences.
  init?(misspelt suffix: String, differencesMax: Int) {
    guard let word = NearestName.find(suffix, in: Self.words),
      NearestName.distance(from: suffix, to: word) <= differencesMax
    else { return nil }
    self.init(word)
  }

  private static let synonyms: [(PermissionEventName.Suffix, [String])] = [
    (.prePromptShown, ["prompted", "shown", "viewed", "asked", "pre_prompt", "pre_prompted", "pre_prompt_viewed"]),
    (.prePromptShown, ["prompt_shown", "preprompt_shown", "priming_shown", "primer_shown"]),
    (.enableTapped, ["requested", "allow_tapped", "button_tapped", "continue_tapped"]),
    (.skipExplained, ["skip_tapped", "skip_shown", "skip_warning_shown"]),
    (.granted, ["authorized", "authorised", "allowed", "accepted", "approved", "permitted", "enabled", "success", "yes"]),
    (.granted, ["full", "full_access", "always", "authorized_always"]),
    (.limited, ["partial", "partially_granted", "reduced"]),
    (.limited, ["limited_access", "partial_access", "write_only"]),
    (.whileUsing, ["when_in_use", "authorized_when_in_use", "while_in_use", "while_using_app", "while_using_the_app"]),
    (.once, ["allow_once", "allowed_once", "granted_once", "only_this_time", "one_time"]),
    (.provisional, ["authorized_provisional", "provisionally_authorized", "quiet", "quietly"]),
    (.denied, ["declined", "rejected", "refused", "disallowed", "disabled", "blocked", "no"]),
    (.denied, ["not_allowed", "not_authorized", "not_granted", "unauthorized", "permanently_denied"]),
    (.dialogDismissed, ["dismissed", "cancelled", "canceled", "closed", "alert_dismissed", "prompt_dismissed"]),
    (.dialogDismissed, ["dialog_cancelled", "dialog_canceled", "dialog_closed"]),
    (.skipped, ["not_now", "later", "maybe_later", "postponed", "deferred", "bypassed"]),
  ]

  private static let noAnswers: [(reason: String, words: [String])] = [
    ("a profile or parental controls decided, nobody was asked", ["restricted"]),
    ("nobody has been asked yet", ["not_determined", "undetermined", "not_asked", "unknown"]),
    ("the device can't ask for it", ["unavailable", "not_available", "unsupported", "not_supported"]),
    (
      "the system's dialog was shown, its answer is an event of its own",
      ["alert_shown", "dialog_shown", "system_prompt_shown"]
    ),
    ("the question failed, nobody answered it", ["error", "failed", "timeout", "timed_out"]),
  ]

  private static let meanings: [String: PermissionSuffixMeaning] = {
    var result: [String: PermissionSuffixMeaning] = [:]
    for (reason, words) in noAnswers { for word in words { result[word] = .noAnswer(reason) } }
    for (suffix, words) in synonyms { for word in words { result[word] = .suffix(suffix) } }
    for suffix in PermissionEventName.Suffix.allCases { result[suffix.rawValue] = .suffix(suffix) }
    return result
  }()

  /// All known words. Suffixes come first, because ``NearestName`` returns the first of several equally similar words.
  private static let words: [String] = {
    let suffixes = PermissionEventName.Suffix.allCases.map(\.rawValue)
    return suffixes + meanings.keys.filter { !suffixes.contains($0) }.sorted()
  }()
}
