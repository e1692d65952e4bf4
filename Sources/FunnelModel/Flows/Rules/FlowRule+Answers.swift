// Facts about the answers to a permission's question.

extension FlowRule {
  /// A dialog of the system that was dismissed counts as denied.
  public struct DismissedIsDenied: Hashable, Sendable {
    /// The reason such a denial has.
    public var reason: String?

    public init(reason: String? = nil) { self.reason = reason }
  }

  /// The system does not tell whether a permission was granted.
  public struct GrantUndisclosed: Hashable, Sendable {
    public var permission: String
    /// What a report says beside the permission's numbers.
    public var note: String

    public init(permission: String, note: String) {
      self.permission = permission
      self.note = note
    }
  }

  /// With limited access the app shows a hint.
  public struct LimitedHint: Hashable, Sendable {
    public var permission: String
    public var hint: String

    public init(permission: String, hint: String) {
      self.permission = permission
      self.hint = hint
    }
  }

  /// Permissions that can be limited, which is access but not a full grant.
  public struct LimitedIsAccess: Hashable, Sendable {
    public var permissions: [String]

    public init(permissions: [String]) { self.permissions = permissions }
  }

  /// The answers that lock a permission's features (``FlowDefinition/locks``).
  public struct LockedWhen: Hashable, Sendable {
    /// An answer that is no full grant, or none.
    public enum Decision: String, Hashable, Sendable, CaseIterable {
      case limited, denied, skipped, unanswered
    }

    public var decisions: [Decision]

    public init(decisions: [Decision]) { self.decisions = decisions }
  }

  /// Where a permission is denied a step falls back to typing by hand.
  public struct ManualEntryOnDenied: Hashable, Sendable {
    public var step: String
    public var permission: String
    /// A thing without which the step falls back as well, such as `wifi`.
    public var orWithout: String?

    public init(step: String, permission: String, orWithout: String? = nil) {
      self.step = step
      self.permission = permission
      self.orWithout = orWithout
    }
  }
}
