import FunnelModel

/// Finds event names that look like permission events: `perm_photos_granted`, and pairs such as `push_allowed` and
/// `push_denied`.
struct PermissionNames {
  /// The permission event that a name matches.
  struct Meaning: Hashable {
    var permission: String
    var suffix: PermissionEventName.Suffix

    /// The native name of the permission event.
    var name: String { PermissionEventName.name(suffix, of: permission) }
  }

  /// The matches by event name.
  private(set) var interpretations: [String: Meaning] = [:]
  /// Groups of names that look like answers of one prompt, but of which none grants or none denies it. Nothing is guessed of them.
  private(set) var unclear: [[String]] = []

  /// Examines the event names of a log.
  init(_ names: some Sequence<String>) {
    var answers: [String: [(name: String, suffix: PermissionEventName.Suffix)]] = [:]
    for name in Set(names) {
      guard let (stem, suffix) = Self.split(name) else { continue }
      if name.hasPrefix(PermissionEventName.prefix) {
        interpretations[name] = Meaning(permission: String(stem.dropFirst(PermissionEventName.prefix.count)), suffix: suffix)
      } else {
        answers[stem, default: []].append((name, suffix))
      }
    }
    for (stem, found) in answers.sorted(by: { $0.key < $1.key }) {
      guard Self.hasBothAnswers(found.map(\.suffix)), Self.areAboutPermission(found.map(\.name)),
        let permission = Self.permission(of: stem)
      else {
        if Self.isLikePrompt(found.map(\.suffix)) { unclear.append(found.map(\.name).sorted()) }
        continue
      }
      for (name, suffix) in found { interpretations[name] = Meaning(permission: permission, suffix: suffix) }
    }
  }

  /// Endings that indicate a question about a permission, but only here: elsewhere they are too general.
  private static let questions: Set<String> = ["prompt", "question", "request", "primer", "ask"]

  /// Names of buttons that answer a question, but only here: elsewhere they are too general.
  private static let buttons: [String: PermissionEventName.Suffix] = [
    "accept": .granted, "allow": .granted, "grant": .granted, "agree": .granted, "decline": .denied, "deny": .denied,
    "reject": .denied, "refuse": .denied, "disallow": .denied, "dont_allow": .denied, "do_not_allow": .denied,
  ]

  /// Words that products use for permissions, and for nothing else that is approved or accepted, such as documents and offers.
  private static let permissionWords: Set<String> = [
    "permission", "permissions", "perm", "access", "consent", "notification", "notifications", "push", "photo", "photos",
    "camera",
    "microphone", "mic", "location", "contacts", "calendar", "reminders", "tracking", "att", "bluetooth", "health", "motion",
    "media", "speech", "siri", "prompt", "dialog", "biometrics",
  ]

  /// Whether a word of some names is one that products use for permissions.
  private static func areAboutPermission(_ names: [String]) -> Bool {
    names.contains { name in name.split(separator: "_").contains { permissionWords.contains(String($0)) } }
  }

  /// Splits a name into a stem and a suffix: `push_permission_allowed` into `push_permission` and `granted`.
  ///
  /// The longest known ending is used. Returns `nil` if there is none.
  private static func split(_ name: String) -> (stem: String, suffix: PermissionEventName.Suffix)? {
    let words = name.split(separator: "_", omittingEmptySubsequences: false)
    // The stem has at least one word, after the prefix.
    let first = name.hasPrefix(PermissionEventName.prefix) ? 2 : 1
    guard words.count > first else { return nil }
    for start in first..<words.count {
      let ending = words[start...].joined(separator: "_")
      if let suffix = PermissionEventName.suffix(meantBy: ending) ?? buttons[ending]
        ?? (questions.contains(ending) ? .prePromptShown : nil)
      {
        return (words[..<start].joined(separator: "_"), suffix)
      }
    }
    return nil
  }

  /// Whether events with the same stem are the answers of a permission: one grants it, and another one denies it.
  ///
  /// With half of the answers, those who gave the other half would count as having skipped the prompt.
  private static func hasBothAnswers(_ suffixes: [PermissionEventName.Suffix]) -> Bool {
    suffixes.contains(.granted) && suffixes.contains { $0 == .denied || $0 == .dialogDismissed }
  }

  /// Whether events with the same stem look like a prompt of which one answer is missing.
  private static func isLikePrompt(_ suffixes: [PermissionEventName.Suffix]) -> Bool {
    suffixes.count > 1 && suffixes.contains { $0 == .granted || $0 == .denied }
  }

  /// Returns the permission of a stem, without general words such as `access`, or `nil` if there are no other words.
  private static func permission(of stem: String) -> String? {
    let words = stem.split(separator: "_").filter {
      !["permission", "permissions", "perm", "access", "prompt", "dialog"].contains($0)
    }
    let name = words.joined(separator: "_")
    return name.isEmpty ? nil : name
  }
}
