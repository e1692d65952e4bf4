/// What an event means to its flow: all a projector needs to know of its name, step and properties.
///
/// A flow has few different kinds, so events carry this instead of text.
public struct EventKind: Hashable, Sendable {
  /// Bit i is set where the event enters step i.
  public var stepMask: UInt64
  /// The permission the event is about, an index into ``FlowDefinition/permissions``; 255: none.
  public var permission: UInt8
  /// What it says of that permission.
  public var action: PermissionAction
  /// How the event counts as the last one of a group that dropped.
  public var exit: ExitKind
  /// The way of ending the event stands for, an index into ``FlowDefinition/outcomes``; 255: none.
  public var outcome: UInt8

  /// An event that enters no step and says nothing of a permission.
  public static let other = EventKind(stepMask: 0, permission: 255, action: .other, exit: .left)

  public init(stepMask: UInt64, permission: UInt8, action: PermissionAction, exit: ExitKind, outcome: UInt8 = 255) {
    self.stepMask = stepMask
    self.permission = permission
    self.action = action
    self.exit = exit
    self.outcome = outcome
  }

  /// The place of the event among others of the same moment: the first step it enters, or the number of steps.
  @inline(__always)
  public func tieRank(stepCount: Int) -> Int {
    stepMask == 0 ? stepCount : stepMask.trailingZeroBitCount
  }
}

/// What an event says of a permission.
public enum PermissionAction: UInt8, Hashable, Sendable {
  case other
  case prePrompt
  case granted
  case limited
  /// Denied, or the system's dialog was dismissed.
  case denied
  /// Skipped, or shown what will be missed, which begins a skip.
  case skipped
  /// The button was tapped that brings up the system's dialog: no decision yet.
  case enableTapped
}

/// How a run through a flow was left, told by its last event.
public enum ExitKind: UInt8, Hashable, Sendable, CaseIterable {
  case skipped, denied, failed, back, left, ended

  /// The exit an event name stands for.
  public init(eventName: String) {
    switch eventName {
    case "step_skipped": self = .skipped
    case "step_failed": self = .failed
    case "step_back": self = .back
    default:
      guard eventName.hasPrefix("perm_") else {
        self = .left
        return
      }
      if eventName.hasSuffix("_skipped") {
        self = .skipped
      } else if eventName.hasSuffix("_denied") || eventName.hasSuffix("_dialog_dismissed") {
        self = .denied
      } else {
        self = .left
      }
    }
  }
}
