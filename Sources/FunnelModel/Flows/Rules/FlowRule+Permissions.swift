// Rules about which permissions are asked for, and when.

extension FlowRule {
  /// A rule by which the flow advances to a step automatically once all these permissions are decided, and not before.
  public struct AdvanceWhenAllHandled: Hashable, Sendable {
    /// The step in which they are asked for.
    public var step: String
    /// The step that the flow advances to.
    public var nextStep: String
    public var permissions: [String]

    public init(step: String, nextStep: String, permissions: [String]) {
      self.step = step
      self.nextStep = nextStep
      self.permissions = permissions
    }
  }

  /// A rule by which the system's dialog appears only after the user taps a button that opens it.
  public struct DialogAfter: Hashable, Sendable {
    /// The event that the tap logs.
    public var button: PermissionEventName.Suffix
    public var permissions: [String]

    public init(button: PermissionEventName.Suffix = .enableTapped, permissions: [String]) {
      self.button = button
      self.permissions = permissions
    }
  }

  /// A rule by which a step is shown only if all these permissions were granted.
  public struct OnlyIfAllGranted: Hashable, Sendable {
    public var step: String
    public var permissions: [String]

    public init(step: String, permissions: [String]) {
      self.step = step
      self.permissions = permissions
    }
  }

  /// A rule by which these permissions are always asked for in this order.
  public struct PermissionOrder: Hashable, Sendable {
    /// The step in which they are asked for.
    public var step: String
    public var permissions: [String]

    public init(step: String, permissions: [String]) {
      self.step = step
      self.permissions = permissions
    }
  }

  /// The progress that the progress bar shows at each permission a step asks for.
  public struct PermissionProgress: Hashable, Sendable {
    public var step: String
    public var permissions: [String]
    /// The progress at each of ``permissions``, from 0 to 1, in the same order and number.
    public var progress: [Double]

    public init(step: String, permissions: [String], progress: [Double]) {
      self.step = step
      self.permissions = permissions
      self.progress = progress
    }
  }

  /// A rule by which the app's own screen before the system's dialog offers no way past it. Apple's Human Interface Guidelines require
  /// this for certain kinds of permissions.
  public struct PreAlertWithoutAlert: Hashable, Sendable {
    /// The kinds of permissions to which the rule applies.
    public enum DialogKind: String, Hashable, Sendable, CaseIterable {
      case camera, microphone, location, contacts, calendar, tracking
    }

    /// The permissions concerned; if empty, all permissions of the flow that have the name of a kind.
    public var permissions: [String]
    /// The kind of ``permissions``, if their names do not tell it.
    public var dialogKind: DialogKind?

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

  /// A rule by which a skip is logged no sooner than a minimum delay after the event that begins it.
  public struct SkipDelay: Hashable, Sendable {
    /// The minimum time between the two events, in milliseconds.
    public var milliseconds: Int
    /// The event that begins the skip.
    public var from: PermissionEventName.Suffix
    /// The event that completes the skip.
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
