/// The class of an event within a flow: which steps it enters, what it does to a permission, and which outcome it represents.
///
/// Projectors read event classes instead of names, steps and properties. A flow has few classes, so an event
/// stores the ID of its class (``EventClassTable``).
public struct EventClass: Hashable, Sendable {
  /// The steps that the event enters. Bit i is set if it enters step i.
  public var stepMask: UInt64
  /// The index of the event's permission in ``FlowDefinition/permissions``, or ``noIndex``.
  public var permission: UInt8
  /// The action that the event represents for that permission.
  public var action: PermissionAction
  /// How the group left the flow if this is its last event and it dropped off.
  public var exit: ExitKind
  /// The index of the event's outcome in ``FlowDefinition/outcomes``, or ``noIndex``.
  public var outcome: UInt8
  /// The rank of the event's name among events of one moment that enter the same step, or no step (``nameRank(of:)``).
  public var nameRank: UInt8
  /// The exclusions that name the event. Bit i is set for exclusion i of the flow.
  public var exclusions: UInt8 = 0

  /// The value of ``permission`` and ``outcome`` if there is none. An Optional would take two bytes instead of one.
  public static let noIndex: UInt8 = .max

  /// The class of an event that enters no step, is not about a permission and has no outcome.
  public static let other = EventClass(stepMask: 0, permission: noIndex, action: .other, exit: .left)

  /// Creates a class. Indices that are absent are ``noIndex``.
  public init(
    stepMask: UInt64, permission: UInt8, action: PermissionAction, exit: ExitKind, outcome: UInt8 = EventClass.noIndex,
    nameRank: UInt8 = 0
  ) {
    self.stepMask = stepMask
    self.permission = permission
    self.action = action
    self.exit = exit
    self.outcome = outcome
    self.nameRank = nameRank
  }

  /// The number of different values of ``nameRank``.
  private static let nameRankCount = 3

  /// Returns the rank of a name among events of one moment: 1 for a tap on a pre-prompt, 2 for an answer to any
  /// permission, even one of no flow, 0 for any other event.
  public static func nameRank(of eventName: String) -> UInt8 {
    PermissionEventName.suffix(endingName: eventName)?.tieRank ?? 0
  }

  /// Returns the event's rank among events of one moment: by the first step it enters, with events that enter
  /// none last, then by name.
  ///
  /// - Parameter stepCount: The number of steps of the flow.
  @inline(__always)
  public func tieRank(stepCount: Int) -> Int {
    (stepMask == 0 ? stepCount : stepMask.trailingZeroBitCount) &* Self.nameRankCount &+ Int(nameRank)
  }
}

/// The action that an event represents for a permission.
public enum PermissionAction: UInt8, Hashable, Sendable {
  /// No action.
  case other
  /// The app showed its own screen before the system's dialog.
  case prePrompt
  case granted
  case limited
  /// The system allowed quiet notifications without a dialog. This is access, but not a grant.
  case provisional
  /// The permission was denied, or the system's dialog was dismissed.
  case denied
  /// The prompt was skipped, or the app explained the consequences of skipping, which begins a skip.
  case skipped
  /// The user tapped the button that opens the system's dialog; no decision has been made yet.
  case enableTapped
  /// The user opened the system's settings. The event is not about a particular permission.
  case settingsOpened
}

/// How a group left a flow before completing it, according to its last event.
public enum ExitKind: UInt8, Hashable, Sendable, CaseIterable {
  case skipped, denied, failed, back, left, ended

  /// Creates the exit kind of a last event with a given name.
  public init(eventName: String) {
    self = StepEventName(rawValue: eventName)?.exit ?? PermissionEventName.suffix(endingName: eventName)?.exit ?? .left
  }
}
