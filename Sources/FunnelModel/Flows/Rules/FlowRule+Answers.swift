// Facts about the answers to permission questions.

extension FlowRule {
  /// A rule that counts a dismissed system dialog as a denial.
  public struct DismissedIsDenied: Hashable, Sendable {
    /// The reason that is reported for such a denial.
    public var reason: String?

    public init(reason: String? = nil) { self.reason = reason }
  }

  /// A fact: the system does not disclose whether a permission was granted.
  public struct GrantUndisclosed: Hashable, Sendable {
    public var permission: String
    /// The note that a report shows beside the permission's numbers.
    public var note: String

    public init(permission: String, note: String) {
      self.permission = permission
      self.note = note
    }
  }

  /// A fact: the app shows a hint if access is limited.
  public struct LimitedHint: Hashable, Sendable {
    public var permission: String
    public var hint: String

    public init(permission: String, hint: String) {
      self.permission = permission
      self.hint = hint
    }
  }

  /// A fact: these permissions can be limited, which counts as access but not as a full grant.
  public struct LimitedIsAccess: Hashable, Sendable {
    public var permissions: [String]

    public init(permissions: [String]) { self.permissions = permissions }
  }

  /// The answers that lock a permission's features (``FlowDefinition/locks``).
  public struct LockedWhen: Hashable, Sendable {
    /// An answer that is not a full grant, or the absence of an answer.
    public enum Decision: String, Hashable, Sendable, CaseIterable {
      case limited, denied, skipped, unanswered
    }

    public var decisions: [Decision]

    public init(decisions: [Decision]) { self.decisions = decisions }
  }

  /// A fact: a step falls back to manual entry if a permission is denied.
  public struct ManualEntryOnDenied: Hashable, Sendable {
    public var step: String
    public var permission: String
    /// A resource without which the step falls back as well, such as `wifi`.
    public var orWithout: String?

    public init(step: String, permission: String, orWithout: String? = nil) {
      self.step = step
      self.permission = permission
      self.orWithout = orWithout
    }
  }

  /// A fact: the app sends people to the system's settings, where they can grant what they denied before.
  public struct RecoveredViaSettings: Hashable, Sendable {
    /// The event that shows that the settings were opened, such as `perm_settings_tapped`.
    public var event: String

    public init(event: String) { self.event = event }
  }
}

extension FlowDefinition {
  /// The events that show that the app sent somebody to the system's settings (`recovered_via_settings`).
  public var settingsEvents: [String] {
    rules.compactMap { rule in
      if case .recoveredViaSettings(let rule) = rule { rule.event } else { nil }
    }
  }

  /// Returns the hint that the app shows if access to a permission is limited (`limited_hint`), or nil if the definition gives none.
  public func hint(ofPermission permission: String) -> String? {
    for case .limitedHint(let rule) in rules where rule.permission == permission { return rule.hint }
    return nil
  }
}
