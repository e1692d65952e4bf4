// Rules about the permissions that a flow asks for, and their order.

extension FlowRule {
  /// A rule: the flow advances to a step once all permissions are answered or skipped, and not earlier.
  public struct AdvanceWhenAllHandled: Hashable, Sendable {
    /// The ID of the step that asks for the permissions.
    public var step: String
    /// The ID of the step that the flow advances to.
    public var nextStep: String
    /// The permissions.
    public var permissions: [String]

    /// Creates a rule.
    public init(step: String, nextStep: String, permissions: [String]) {
      self.step = step
      self.nextStep = nextStep
      self.permissions = permissions
    }
  }

  /// A rule: the system's dialog appears only after a tap on a button.
  public struct DialogAfter: Hashable, Sendable {
    /// The suffix of the event of the tap.
    public var button: PermissionEventName.Suffix
    /// The permissions that the dialog is for.
    public var permissions: [String]

    /// Creates a rule.
    public init(button: PermissionEventName.Suffix = .enableTapped, permissions: [String]) {
      self.button = button
      self.permissions = permissions
    }
  }

  /// A rule: a step is shown only if all permissions were granted.
  public struct OnlyIfAllGranted: Hashable, Sendable {
    /// The ID of the step.
    public var step: String
    /// The permissions.
    public var permissions: [String]

    /// Creates a rule.
    public init(step: String, permissions: [String]) {
      self.step = step
      self.permissions = permissions
    }
  }

  /// A rule: a step asks for permissions in a certain order.
  public struct PermissionOrder: Hashable, Sendable {
    /// The ID of the step.
    public var step: String
    /// The permissions in order.
    public var permissions: [String]

    /// Creates a rule.
    public init(step: String, permissions: [String]) {
      self.step = step
      self.permissions = permissions
    }
  }

  /// A rule: the progress bar has a certain progress at the pre-prompt of each permission of a step.
  public struct PermissionProgress: Hashable, Sendable {
    /// The ID of the step.
    public var step: String
    /// The permissions.
    public var permissions: [String]
    /// The progress at each of ``permissions``, from 0 to 1. Both arrays have the same count.
    public var progress: [Double]

    /// Creates a rule.
    public init(step: String, permissions: [String], progress: [Double]) {
      self.step = step
      self.permissions = permissions
      self.progress = progress
    }
  }

  /// A rule: the app's own screen before the system's dialog can't be skipped. Apple's Human Interface
  /// Guidelines require this for certain kinds of permissions.
  public struct PreAlertWithoutAlert: Hashable, Sendable {
    /// The kinds of permissions to which the rule applies.
    public enum DialogKind: String, Hashable, Sendable, CaseIterable {
      case camera, microphone, location, contacts, calendar, tracking
    }

    /// The permissions. An empty array means all permissions of the flow that are named like a ``DialogKind``.
    public var permissions: [String]
    /// The kind of ``permissions``, or `nil` if their names are kinds.
    public var dialogKind: DialogKind?

    /// Creates a rule.
    public init(permissions: [String] = [], dialogKind: DialogKind? = nil) {
      self.permissions = permissions
      self.dialogKind = dialogKind
    }

    /// Returns the permissions of a flow to which the rule applies, in the order of the flow.
    public func permissions(of flow: FlowDefinition) -> [String] {
      flow.permissions.map(\.name).filter { name in
        permissions.isEmpty ? DialogKind(rawValue: name) != nil : permissions.contains(name)
      }
    }
  }

  /// A rule: a skip is logged no earlier than a minimum delay after the event that begins it.
  public struct SkipDelay: Hashable, Sendable {
    /// The minimum time between the two events, in milliseconds.
    public var milliseconds: Int
    /// The suffix of the event that begins the skip.
    public var from: PermissionEventName.Suffix
    /// The suffix of the event that completes the skip.
    public var to: PermissionEventName.Suffix
    /// The permissions.
    public var permissions: [String]

    /// Creates a rule.
    public init(
      milliseconds: Int, from: PermissionEventName.Suffix = .skipExplained, to: PermissionEventName.Suffix = .skipped,
      permissions: [String]
    ) {
      self.milliseconds = milliseconds
      self.from = from
      self.to = to
      self.permissions = permissions
    }
  }
}
