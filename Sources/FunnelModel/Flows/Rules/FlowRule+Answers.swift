// Facts about the answers to permission prompts.

extension FlowRule {
  /// A rule that counts a dismissed system dialog as a denial.
  public struct DismissedIsDenied: Hashable, Sendable {
    /// The reason that reports show for such a denial, or `nil` for none.
    public var reason: String?

    /// Creates a rule.
    public init(reason: String? = nil) { self.reason = reason }
  }

  /// A fact: the system does not disclose whether a permission was granted.
  public struct GrantUndisclosed: Hashable, Sendable {
    /// The permission.
    public var permission: String
    /// The explanation that reports show with the permission's numbers.
    public var note: String

    /// Creates a fact.
    public init(permission: String, note: String) {
      self.permission = permission
      self.note = note
    }
  }

  /// A fact: the app shows a hint if access is limited.
  public struct LimitedHint: Hashable, Sendable {
    /// The permission.
    public var permission: String
    /// The text of the hint.
    public var hint: String

    /// Creates a fact.
    public init(permission: String, hint: String) {
      self.permission = permission
      self.hint = hint
    }
  }

  /// A fact: these permissions can be limited, which counts as access but not as a full grant.
  public struct LimitedIsAccess: Hashable, Sendable {
    /// The permissions.
    public var permissions: [String]

    /// Creates a fact.
    public init(permissions: [String]) { self.permissions = permissions }
  }

  /// The answers that lock a permission's features (``FlowDefinition/locks``).
  public struct LockedWhen: Hashable, Sendable {
    /// An answer that is not a full grant, or the absence of an answer.
    public enum Decision: String, Hashable, Sendable, CaseIterable {
      case limited, denied, skipped, unanswered
    }

    /// The answers that lock the features.
    public var decisions: [Decision]

    /// Creates a fact.
    public init(decisions: [Decision]) { self.decisions = decisions }
  }

  /// A fact: a step falls back to manual entry if a permission is denied.
  public struct ManualEntryOnDenied: Hashable, Sendable {
    /// The ID of the step.
    public var step: String
    /// The permission.
    public var permission: String
    /// A resource without which the step falls back as well, such as `wifi`, or `nil` if there is none.
    public var orWithout: String?

    /// Creates a fact.
    public init(step: String, permission: String, orWithout: String? = nil) {
      self.step = step
      self.permission = permission
      self.orWithout = orWithout
    }
  }

  /// A fact: the app opens the system's settings, where users can grant a permission that they denied before.
  public struct RecoveredViaSettings: Hashable, Sendable {
    /// The event that is logged when the settings are opened, such as `perm_settings_tapped`.
    public var event: String

    /// Creates a fact.
    public init(event: String) { self.event = event }
  }
}

extension FlowDefinition {
  /// The events that are logged when the app opens the system's settings (`recovered_via_settings`).
  public var settingsEvents: [String] {
    rules.compactMap { rule in
      if case .recoveredViaSettings(let rule) = rule { rule.event } else { nil }
    }
  }

  /// Returns the hint that the app shows if access to a permission is limited (`limited_hint`), or `nil` if the
  /// definition gives none.
  public func hint(ofPermission permission: String) -> String? {
    for case .limitedHint(let rule) in rules where rule.permission == permission { return rule.hint }
    return nil
  }
}
