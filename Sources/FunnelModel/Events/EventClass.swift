/// The meaning of an event to its flow: everything a projector needs to know about its name, step and properties.
///
/// A flow has only a few different kinds, so events carry a kind instead of text.
public struct EventClass: Hashable, Sendable {
  /// The steps that the event enters; bit i is set if it enters step i.
  public var stepMask: UInt64
  /// The permission the event is about, as an index into ``FlowDefinition/permissions``, or 255 if there is none.
  public var permission: UInt8
  /// The event's meaning for that permission.
  public var action: PermissionAction
  /// How the group was left if this is its last event and it dropped off.
  public var exit: ExitKind
  /// The outcome the event stands for, as an index into ``FlowDefinition/outcomes``, or 255 if there is none.
  public var outcome: UInt8
  /// The event's rank among those of one moment that enter the same step, or none, by its name.
  public var nameRank: UInt8
  /// The exclusions that the event is named by; bit i stands for exclusion i of the flow.
  public var exclusions: UInt8 = 0

  /// The kind of an event that enters no step and is not about a permission.
  public static let other = EventClass(stepMask: 0, permission: 255, action: .other, exit: .left)

  public init(
    stepMask: UInt64, permission: UInt8, action: PermissionAction, exit: ExitKind, outcome: UInt8 = 255, nameRank: UInt8 = 0
  ) {
    self.stepMask = stepMask
    self.permission = permission
    self.action = action
    self.exit = exit
    self.outcome = outcome
    self.nameRank = nameRank
  }

  /// The number of values that ``nameRank`` has.
  private static let nameRankCount = 3

  /// Returns the rank by its name of an event among those of one moment: 1 for a tap on a pre-prompt, 2 for an answer to a permission, also
  /// one that no flow asks for, 0 for any other event.
  public static func nameRank(of eventName: String) -> UInt8 {
    PermissionEventName.suffix(endingName: eventName)?.tieRank ?? 0
  }

  /// Returns the event's rank among events of the same moment: by the index of the first step it enters, or the number of steps, then by its
  /// name.
  @inline(__always)
  public func tieRank(stepCount: Int) -> Int {
    (stepMask == 0 ? stepCount : stepMask.trailingZeroBitCount) &* Self.nameRankCount &+ Int(nameRank)
  }
}

/// The meaning of an event for a permission.
public enum PermissionAction: UInt8, Hashable, Sendable {
  case other
  case prePrompt
  case granted
  case limited
  /// The system allowed quiet notifications without a dialog: access, but no grant.
  case provisional
  /// The permission was denied, or the system's dialog was dismissed.
  case denied
  /// The question was skipped, or the app explained what will be missed, which begins a skip.
  case skipped
  /// The user tapped the button that opens the system's dialog; no decision has been made yet.
  case enableTapped
  /// The user left for the system's settings; the event is about no permission in particular.
  case settingsOpened
}

/// How a run through a flow was left, according to its last event.
public enum ExitKind: UInt8, Hashable, Sendable, CaseIterable {
  case skipped, denied, failed, back, left, ended

  /// Creates the exit that an event name stands for.
  public init(eventName: String) {
    self = StepEventName(rawValue: eventName)?.exit ?? PermissionEventName.suffix(endingName: eventName)?.exit ?? .left
  }
}
