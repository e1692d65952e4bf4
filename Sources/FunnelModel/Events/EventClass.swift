/// The class of an event within a flow: which steps it enters, what it does to a permission, and which outcome it represents.
///
/// Projectors read event classes instead of names, steps and properties. A flow has few classes, so an event
/// stores the ID of its class (``EventClassTable``).
package struct EventClass: Hashable, Sendable {
  /// The steps that the event enters. Bit i is set if it enters step i.
  package var stepMask: UInt64
  /// The action that the event represents for its permission.
  package var action: PermissionAction
  /// The way in which the group left the flow if this is its last event and it dropped off.
  package var exit: ExitKind
  /// The rank of the event's name among events of one moment that enter the same step, or no step (``nameRank(of:)``).
  package var nameRank: UInt8
  /// The exclusions that name the event. Bit i is set for exclusion i of the flow.
  package var exclusions: UInt8 = 0

  @usableFromInline var permissionIndex: ByteIndex
  @usableFromInline var outcomeIndex: ByteIndex

  /// The class of an event that enters no step, is not about a permission and has no outcome.
  package static let other = EventClass()

  /// Creates a class.
  ///
  /// - Precondition: Indices are in the limits of a flow (``Limits/flowPermissionsMax``, ``Limits/flowOutcomesMax``).
  package init(
    stepMask: UInt64 = 0, permission: Int? = nil, action: PermissionAction = .other, exit: ExitKind = .left,
    outcome: Int? = nil, nameRank: UInt8 = 0
  ) {
    assert(nameRank < Self.nameRankCount, "a name has one of \(Self.nameRankCount) ranks")
    self.stepMask = stepMask
    self.action = action
    self.exit = exit
    self.nameRank = nameRank
    permissionIndex = ByteIndex(permission)
    outcomeIndex = ByteIndex(outcome)
  }

  /// The index of the event's permission in ``FlowDefinition/permissions``, or `nil` if it is not about one.
  package var permission: Int? {
    @inlinable @inline(__always) get { permissionIndex.value }
    set { permissionIndex = ByteIndex(newValue) }
  }

  /// The index of the event's outcome in ``FlowDefinition/outcomes``, or `nil` if it represents none.
  package var outcome: Int? {
    @inlinable @inline(__always) get { outcomeIndex.value }
    set { outcomeIndex = ByteIndex(newValue) }
  }

  /// The number of different values of ``nameRank``.
  @inlinable static var nameRankCount: Int { 3 }

  /// Returns the rank of a name among events of one moment: 1 for a tap on a pre-prompt, 2 for an answer to any
  /// permission, even one of no flow, 0 for any other event.
  package static func nameRank(of eventName: String) -> UInt8 {
    PermissionEventName(eventName)?.suffix.tieRank ?? 0
  }

  /// Returns the event's rank among events of one moment: by the first step it enters, with events that enter
  /// none last, then by name.
  ///
  /// - Parameter stepCount: The number of steps of the flow.
  @inlinable @inline(__always)
  package func tieRank(stepCount: Int) -> Int {
    (stepMask == 0 ? stepCount : stepMask.trailingZeroBitCount) &* Self.nameRankCount &+ Int(nameRank)
  }
}

/// An index or none, in one byte. An event sequence holds a class per event, and an `Optional` would take two bytes.
@usableFromInline
struct ByteIndex: Hashable, Sendable {
  /// The index, or 255 for none.
  @usableFromInline let byte: UInt8

  init(_ index: Int?) {
    precondition(
      index.map { (0..<Int(UInt8.max)).contains($0) } ?? true, "the index of a permission or an outcome fits in a byte")
    byte = index.map { UInt8($0) } ?? .max
  }

  @inlinable
  @inline(__always)
  var value: Int? { byte == .max ? nil : Int(byte) }
}

/// The action that an event represents for a permission.
package enum PermissionAction: UInt8, Hashable, Sendable {
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

/// The way in which a group left a flow before completing it, according to its last event.
package enum ExitKind: UInt8, Hashable, Sendable, CaseIterable {
  case skipped, denied, failed, back, left, ended

  /// Creates the exit kind of a last event with a given name.
  package init(eventName: String) {
    self = StepEventName(rawValue: eventName)?.exit ?? PermissionEventName(eventName)?.suffix.exit ?? .left
  }
}
