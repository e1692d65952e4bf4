/// The name of an event about a permission: `perm_<permission>_<suffix>` (specification section 6).
///
///     PermissionEventName("perm_photos_granted")  // permission "photos", suffix .granted
package struct PermissionEventName: Hashable, Sendable {
  /// The prefix of all names.
  package static let prefix = "perm_"

  package let permission: String
  package let suffix: Suffix

  /// Parses a name, or returns `nil` if it is not about a permission or its suffix is unknown.
  package init?(_ name: String) {
    guard name.hasPrefix(Self.prefix) else { return nil }
    // No suffix is the end of another after an underscore, so at most one matches.
    guard let suffix = Suffix.allCases.first(where: { name.hasSuffix("_\($0.rawValue)") }) else { return nil }
    let permission = name.dropFirst(Self.prefix.count).dropLast(suffix.rawValue.count + 1)
    guard !permission.isEmpty else { return nil }
    self.permission = String(permission)
    self.suffix = suffix
  }

  /// Returns the name of an event about a permission.
  package static func name(_ suffix: Suffix, of permission: String) -> String { prefix(of: permission) + suffix.rawValue }

  /// Returns the prefix of the names of events about a permission.
  static func prefix(of permission: String) -> String { "\(prefix)\(permission)_" }

  /// Returns the suffix of an event about a permission, or `nil` if the name is not about this permission or
  /// its suffix is unknown.
  package static func suffix(of name: String, permission: String) -> Suffix? {
    let prefix = prefix(of: permission)
    return name.hasPrefix(prefix) ? Suffix(rawValue: String(name.dropFirst(prefix.count))) : nil
  }
}

extension PermissionEventName {
  /// The suffixes of permission events. A flow declares all of these for each of its permissions, and no others.
  package enum Suffix: String, Hashable, Sendable, CaseIterable {
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
    package var action: PermissionAction {
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

    /// The way in which a group left the flow if this is its last event and it dropped off.
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
}
