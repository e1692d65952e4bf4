/// The names of events about a step (specification section 6).
package enum StepEventName: String, Hashable, Sendable, CaseIterable {
  case viewed = "step_viewed"
  case completed = "step_completed"
  case skipped = "step_skipped"
  case failed = "step_failed"
  case back = "step_back"

  /// The prefix of all names. Every event whose name has it must name a step, even if the name is not one of the cases.
  package static let prefix = "step_"

  /// Returns whether events of a name are about a step.
  package static func isAboutStep(_ name: String) -> Bool { name.hasPrefix(prefix) }

  /// How a group left the flow if this is its last event and it dropped off.
  var exit: ExitKind {
    switch self {
    case .viewed, .completed: .left
    case .skipped: .skipped
    case .failed: .failed
    case .back: .back
    }
  }
}

/// The names of events about a permission: `perm_<permission>_<suffix>` (specification section 6).
package enum PermissionEventName {
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

  /// The prefix of all names.
  package static let prefix = "perm_"

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

  /// Returns the suffix of an event about any permission, or `nil` if the name is not about a permission or its
  /// suffix is unknown.
  static func suffix(endingName name: String) -> Suffix? {
    guard name.hasPrefix(prefix) else { return nil }
    // The permission between prefix and suffix has at least one byte.
    return Suffix.allCases.first {
      name.hasSuffix("_\($0.rawValue)") && name.utf8.count > prefix.utf8.count + $0.rawValue.utf8.count + 1
    }
  }
}

/// The syntax of the names of apps, flows, steps, events and permissions: `[a-z][a-z0-9_]{0,99}`.
package enum NameSyntax {
  /// The syntax, for messages.
  static let rule =
    "allowed: a lower-case letter, then up to \(Limits.nameBytesMax - 1) lower-case letters, digits and underscores"

  /// Returns whether a text is a valid name.
  package static func matches(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, first.isLowercaseASCIILetter, bytes.count <= Limits.nameBytesMax else { return false }
    return bytes.allSatisfy { $0.isLowercaseASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
  }
}
