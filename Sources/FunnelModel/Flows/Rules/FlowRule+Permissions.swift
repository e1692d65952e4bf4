// Rules about what is asked, and when.

extension FlowRule {
  /// Once all these permissions are decided the flow goes to a step by itself, and not before.
  public struct AdvanceWhenAllHandled: Hashable, Sendable {
    /// The step in which they are asked.
    public var step: String
    /// The step the flow goes to.
    public var nextStep: String
    public var permissions: [String]

    public init(step: String, nextStep: String, permissions: [String]) {
      self.step = step
      self.nextStep = nextStep
      self.permissions = permissions
    }
  }

  /// The system's dialog comes only after a button was tapped that brings it up.
  public struct DialogAfter: Hashable, Sendable {
    /// The event of the tap.
    public var button: PermissionEventName.Suffix
    public var permissions: [String]

    public init(button: PermissionEventName.Suffix = .enableTapped, permissions: [String]) {
      self.button = button
      self.permissions = permissions
    }
  }

  /// A step is shown only where all these permissions were granted.
  public struct OnlyIfAllGranted: Hashable, Sendable {
    public var step: String
    public var permissions: [String]

    public init(step: String, permissions: [String]) {
      self.step = step
      self.permissions = permissions
    }
  }

  /// These permissions are always asked in this order.
  public struct PermissionOrder: Hashable, Sendable {
    /// The step in which they are asked.
    public var step: String
    public var permissions: [String]

    public init(step: String, permissions: [String]) {
      self.step = step
      self.permissions = permissions
    }
  }

  /// What the progress bar shows at each permission that a step asks for.
  public struct PermissionProgress: Hashable, Sendable {
    public var step: String
    public var permissions: [String]
    /// From 0 to 1, as many as ``permissions`` and in their order.
    public var progress: [Double]

    public init(step: String, permissions: [String], progress: [Double]) {
      self.step = step
      self.permissions = permissions
      self.progress = progress
    }
  }

  /// A screen of the app in front of the system's dialog has no way past it: Apple's Human Interface Guidelines allow none for these
  /// kinds of permissions.
  public struct PreAlertWithoutAlert: Hashable, Sendable {
    /// The kinds of permissions for which that holds.
    public enum DialogKind: String, Hashable, Sendable, CaseIterable {
      case camera, microphone, location, contacts, calendar, tracking
    }

    /// The permissions meant; if empty, all of the flow that are named as a kind is.
    public var permissions: [String]
    /// What kind ``permissions`` are of, where their names do not tell.
    public var dialogKind: DialogKind?

    public init(permissions: [String] = [], dialogKind: DialogKind? = nil) {
      self.permissions = permissions
      self.dialogKind = dialogKind
    }
  }

  /// A skip is logged only so long after what begins it.
  public struct SkipDelay: Hashable, Sendable {
    /// The least time between the two events.
    public var milliseconds: Int
    /// The event that begins the skip.
    public var from: PermissionEventName.Suffix
    /// The event that ends it.
    public var to: PermissionEventName.Suffix
    public var permissions: [String]

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
