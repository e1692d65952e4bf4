extension PermissionEventName {
  /// Advice about a name with an unknown suffix.
  package enum Advice: Hashable, Sendable {
    /// The most similar valid name, such as `perm_photos_granted`.
    case meant(String)
    /// The suffix describes a state of the system instead of a user's answer, so no valid name corresponds to it.
    case notAnAnswer(suffix: String, reason: String)

    /// The advice as text: `perm_photos_granted`, or `not an answer: the system or a profile decided, nobody was asked`.
    package var text: String {
      switch self {
      case .meant(let name): name
      case .notAnAnswer(_, let reason): "not an answer: \(reason)"
      }
    }
  }

  /// Returns the suffix of which a word is a synonym: `granted` for `authorized`. Returns `nil` if the word is
  /// unknown or not an answer.
  package static func suffix(meantBy word: String) -> Suffix? {
    guard case .suffix(let suffix) = PermissionSuffixInterpretation(word) else { return nil }
    return suffix
  }

  /// Returns advice about a name that no flow declares: `perm_photos_granted` for `perm_photos_authorized`.
  ///
  /// Returns `nil` if the name is not about a permission, if its suffix is valid, or if it is not similar to any known word.
  ///
  /// - Parameter permissions: The permissions that the name may be about, usually those of the app's flows. If
  ///   `nil`, the longest known ending is the suffix: `perm_family_controls_allowed` is about
  ///   `family_controls`.
  package static func advice(for name: String, permissions: [String]? = nil) -> Advice? {
    guard name.hasPrefix(prefix) else { return nil }
    guard let permissions else { return adviceForAnyPermission(String(name.dropFirst(prefix.count))) }
    // The longest permission takes precedence: `location_always` is not `location`.
    let candidates = permissions.filter { name.hasPrefix(prefix(of: $0)) && name.utf8.count > prefix(of: $0).utf8.count }
    guard let permission = candidates.max(by: { $0.utf8.count < $1.utf8.count }) else { return nil }
    let suffix = String(name.dropFirst(prefix(of: permission).count))
    guard
      let interpretation = PermissionSuffixInterpretation(suffix)
        ?? PermissionSuffixInterpretation(misspelt: suffix, differencesMax: typosMax)
    else { return nil }
    return advice(for: interpretation, suffix: suffix, permission: permission)
  }

  /// The maximum number of typos in a suffix, which is the most that ``NearestName`` accepts.
  private static let typosMax = 3

  /// Tries every ending of a name such as `photos_full_access`, the longest first. Endings with at most one
  /// typo take precedence.
  private static func adviceForAnyPermission(_ text: String) -> Advice? {
    let words = text.split(separator: "_", omittingEmptySubsequences: false)
    guard words.count > 1 else { return nil }
    for differencesMax in [1, typosMax] {
      for start in 1..<words.count {
        let suffix = words[start...].joined(separator: "_")
        guard
          let interpretation = PermissionSuffixInterpretation(suffix)
            ?? PermissionSuffixInterpretation(misspelt: suffix, differencesMax: differencesMax)
        else { continue }
        return advice(for: interpretation, suffix: suffix, permission: words[..<start].joined(separator: "_"))
      }
    }
    return nil
  }

  private static func advice(for interpretation: PermissionSuffixInterpretation, suffix: String, permission: String) -> Advice?
  {
    switch interpretation {
    case .suffix(let known): known.rawValue == suffix ? nil : .meant(name(known, of: permission))
    case .noAnswer(let reason): .notAnAnswer(suffix: suffix, reason: reason)
    }
  }
}

/// The interpretation of a permission event's suffix: a valid suffix, a synonym of one, or a word that is not an answer.
///
/// The words come from Apple's frameworks (`authorized`, `provisional`, `restricted`, `notDetermined`), from
/// Android's, and from common usage in logs.
enum PermissionSuffixInterpretation: Hashable, Sendable {
  /// A valid suffix, or a synonym of it.
  case suffix(PermissionEventName.Suffix)
  /// A word that does not describe a user's answer, with the reason.
  case noAnswer(String)

  /// Looks up a suffix, or returns `nil` if it is unknown.
  init?(_ suffix: String) {
    guard let known = Self.interpretations[suffix] else { return nil }
    self = known
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

  private static let interpretations: [String: PermissionSuffixInterpretation] = {
    var result: [String: PermissionSuffixInterpretation] = [:]
    for (reason, words) in noAnswers { for word in words { result[word] = .noAnswer(reason) } }
    for (suffix, words) in synonyms { for word in words { result[word] = .suffix(suffix) } }
    for suffix in PermissionEventName.Suffix.allCases { result[suffix.rawValue] = .suffix(suffix) }
    return result
  }()

  /// All known words. Suffixes come first, because ``NearestName`` returns the first of several equally similar words.
  private static let words: [String] = {
    let suffixes = PermissionEventName.Suffix.allCases.map(\.rawValue)
    return suffixes + interpretations.keys.filter { !suffixes.contains($0) }.sorted()
  }()
}
