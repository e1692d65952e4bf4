/// The names of events about a permission: `perm_<permission>_<suffix>` (specification section 6).
public enum PermissionEventName {
  /// The suffixes of permission events. A flow declares all of these for each of its permissions, and no others.
  public enum Suffix: String, Hashable, Sendable, CaseIterable {
    case prePromptShown = "pre_prompt_shown"
    case enableTapped = "enable_tapped"
    case skipExplained = "skip_explained"
    case granted
    case limited
    /// Access until the app is closed, a form of limited access.
    case once
    /// Access while the app is in use, a form of limited access.
    case whileUsing = "while_using"
    /// Quiet notifications, which the system allows without a dialog.
    case provisional
    /// Quiet notifications of an App Clip.
    case ephemeral
    case denied
    case dialogDismissed = "dialog_dismissed"
    case skipped

    /// The action that the event represents for its permission.
    public var action: PermissionAction {
      switch self {
      case .prePromptShown: .prePrompt
      case .enableTapped: .enableTapped
      case .granted: .granted
      case .limited, .once, .whileUsing: .limited
      case .provisional, .ephemeral: .provisional
      case .denied, .dialogDismissed: .denied
      case .skipped, .skipExplained: .skipped
      }
    }

    /// How a group left the flow if this is its last event and it dropped off.
    var exit: ExitKind {
      switch self {
      case .skipped: .skipped
      case .denied, .dialogDismissed: .denied
      case .prePromptShown, .enableTapped, .skipExplained, .granted, .limited, .once, .whileUsing, .provisional, .ephemeral:
        .left
      }
    }

    /// The rank among events of one moment that enter the same step, or no step: the prompt, then the user's
    /// tap, then the answer.
    var tieRank: UInt8 {
      switch self {
      case .prePromptShown: 0
      case .enableTapped, .skipExplained: 1
      case .granted, .limited, .once, .whileUsing, .provisional, .ephemeral, .denied, .dialogDismissed, .skipped: 2
      }
    }
  }

  /// Advice about a name with an unknown suffix.
  public enum Advice: Hashable, Sendable {
    /// The most similar valid name, such as `perm_photos_granted`.
    case meant(String)
    /// The suffix describes a state of the system instead of a user's answer, so no valid name corresponds to it.
    case notAnAnswer(suffix: String, reason: String)

    /// The advice as text: `perm_photos_granted`, or `not an answer: the system or a profile decided, nobody was asked`.
    public var text: String {
      switch self {
      case .meant(let name): name
      case .notAnAnswer(_, let reason): "not an answer: \(reason)"
      }
    }
  }

  /// The prefix of all names.
  public static let prefix = "perm_"

  /// Returns the name of an event about a permission.
  public static func name(_ suffix: Suffix, of permission: String) -> String { prefix(of: permission) + suffix.rawValue }

  /// Returns the prefix of the names of events about a permission.
  static func prefix(of permission: String) -> String { "\(prefix)\(permission)_" }

  /// Returns the suffix of an event about a permission, or `nil` if the name is not about this permission or
  /// its suffix is unknown.
  public static func suffix(of name: String, permission: String) -> Suffix? {
    let prefix = prefix(of: permission)
    return name.hasPrefix(prefix) ? Suffix(rawValue: String(name.dropFirst(prefix.count))) : nil
  }

  /// Returns the suffix of which a word is a synonym: `granted` for `authorized`. Returns `nil` if the word is
  /// unknown or not an answer.
  public static func suffix(meantBy word: String) -> Suffix? {
    guard case .suffix(let suffix) = PermissionSuffixMeaning(word) else { return nil }
    return suffix
  }

  /// Returns the suffix of an event about any permission, or `nil` if the name is not about a permission or its
  /// suffix is unknown.
  static func suffix(endingName name: String) -> Suffix? {
    guard name.hasPrefix(prefix) else { return nil }
    // The permission between prefix and suffix has at least one byte.
    return Suffix.allCases.first {
      name.hasSuffix("_\($0.rawValue)") && name.utf8.count > prefix.utf8.count + $0.rawValue.utf8.count + 1
    }
  }

  /// Returns advice about a name that no flow declares: `perm_photos_granted` for `perm_photos_authorized`.
  ///
  /// Returns `nil` if the name is not about a permission, if its suffix is valid, or if it is not similar to any known word.
  ///
  /// - Parameter permissions: The permissions that the name may be about, usually those of the app's flows. If
  ///   `nil`, the longest known ending is the suffix: `perm_family_controls_allowed` is about
  ///   `family_controls`.
  public static func advice(for name: String, permissions: [String]? = nil) -> Advice? {
    guard name.hasPrefix(prefix) else { return nil }
    guard let permissions else { return adviceForAnyPermission(String(name.dropFirst(prefix.count))) }
    // The longest permission takes precedence: `location_always` is not `location`.
    let candidates = permissions.filter { name.hasPrefix(prefix(of: $0)) && name.utf8.count > prefix(of: $0).utf8.count }
    guard let permission = candidates.max(by: { $0.utf8.count < $1.utf8.count }) else { return nil }
    let suffix = String(name.dropFirst(prefix(of: permission).count))
    guard let meaning = PermissionSuffixMeaning(suffix) ?? PermissionSuffixMeaning(misspelt: suffix, differencesMax: typosMax)
    else { return nil }
    return advice(for: meaning, suffix: suffix, permission: permission)
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
          let meaning = PermissionSuffixMeaning(suffix)
            ?? PermissionSuffixMeaning(misspelt: suffix, differencesMax: differencesMax)
        else { continue }
        return advice(for: meaning, suffix: suffix, permission: words[..<start].joined(separator: "_"))
      }
    }
    return nil
  }

  private static func advice(for meaning: PermissionSuffixMeaning, suffix: String, permission: String) -> Advice? {
    switch meaning {
    case .suffix(let known): known.rawValue == suffix ? nil : .meant(name(known, of: permission))
    case .noAnswer(let reason): .notAnAnswer(suffix: suffix, reason: reason)
    }
  }
}
