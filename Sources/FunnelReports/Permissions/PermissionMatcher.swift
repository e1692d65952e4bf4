import FunnelModel
import FunnelProjections

/// Determines the answers of groups to the permissions of a flow.
struct PermissionMatcher: Sendable {
  let permissions: [FlowPermission]
  /// The steps whose entry is a pre-prompt of some permission, as a bit mask.
  private let primingSteps: UInt64

  init(_ query: FlowQuery) {
    permissions = FlowPermission.all(of: query.flow)
    primingSteps = permissions.reduce(0) { $0 | $1.primingSteps }
  }

  /// Calls a closure with the answers of a group, and with the events about each permission.
  func withAnswers(in events: GroupEvents, _ body: (PermissionAnswers, Span<PermissionEvents>) -> Void) {
    withTemporaryElements(repeating: PermissionEvents(), count: permissions.count) { permissionEvents in
      var pass = Pass(matcher: self)
      for index in events.indices { pass.add(index, of: events, to: &permissionEvents) }
      for permission in pass.answers.prompted where events.isInPeriod(permissionEvents[permission].prompt) {
        pass.answers.counted.insert(permission)
      }
      body(pass.answers, permissionEvents.span)
    }
  }

  /// Returns the permissions for which an event is a pre-prompt.
  @inline(__always)
  private func permissionsPrompted(by event: EventClass, about permission: Int?) -> PermissionSet {
    var prompted = PermissionSet()
    if let permission, event.action == .prePrompt { prompted.insert(permission) }
    if event.stepMask & primingSteps != 0 {
      prompted.formUnion(
        PermissionSet(permissions.indices) { permissions[$0].primingSteps & event.stepMask != 0 })
    }
    return prompted
  }

  /// One pass over the events of a group, in order.
  private struct Pass {
    let matcher: PermissionMatcher
    var answers = PermissionAnswers()
    /// The permissions that are prompted, but neither decided nor passed.
    private var waiting = PermissionSet()
    /// The permissions whose dialog was answered.
    private var answered = PermissionSet()
    /// The permissions with a decision.
    private var decided = PermissionSet()
    /// The permissions whose settings were opened after a decision, without another pre-prompt since.
    private var inSettings = PermissionSet()

    init(matcher: PermissionMatcher) { self.matcher = matcher }

    @inline(__always)
    mutating func add(_ index: Int, of events: GroupEvents, to permissionEvents: inout MutableSpan<PermissionEvents>) {
      let event = events[index]
      let permission = event.action == .other ? nil : event.permission(of: matcher.permissions)
      let prompted = matcher.permissionsPrompted(by: event, about: permission)
      if !waiting.isEmpty, event.stepMask != 0 || !prompted.isEmpty {
        recordPassed(by: index, of: events, prompting: prompted, permissionEvents)
      }
      // An event that both answers and prompts answers an earlier pre-prompt.
      if let permission, event.action != .prePrompt {
        recordAnswer(index, of: events, to: permission, &permissionEvents)
      }
      if event.action == .settingsOpened { inSettings.formUnion(decided) }
      if !prompted.isEmpty { recordPrompts(of: prompted, by: index, &permissionEvents) }
    }

    /// Records which of the waiting permissions an event passes without a decision.
    @inline(__always)
    private mutating func recordPassed(
      by index: Int, of events: GroupEvents, prompting prompted: PermissionSet,
      _ permissionEvents: borrowing MutableSpan<PermissionEvents>
    ) {
      for permission in waiting {
        if !events.isInWindow(index, from: permissionEvents[permission].prompt) {
          waiting.remove(permission)
        } else if events[index].stepMask & matcher.permissions[permission].laterSteps != 0
          || !matcher.permissions[permission].furtherPermissions.isDisjoint(with: prompted)
        {
          waiting.remove(permission)
          answers.passed.insert(permission)
        }
      }
    }

    /// Records an event about a permission other than a pre-prompt.
    @inline(__always)
    private mutating func recordAnswer(
      _ index: Int, of events: GroupEvents, to permission: Int, _ permissionEvents: inout MutableSpan<PermissionEvents>
    ) {
      let action = events[index].action
      if action.isDialogAnswer {
        let isFirst = !answered.contains(permission) && !answers.prompted.contains(permission)
        if isFirst, events.isInPeriod(index) { answers.unprimed.insert(permission) }
        answered.insert(permission)
      }
      guard answers.prompted.contains(permission), events.isInWindow(index, from: permissionEvents[permission].prompt) else {
        return
      }
      permissionEvents[permission].record(action, at: index)
      guard action != .enableTapped else { return }
      waiting.remove(permission)
      decided.insert(permission)
      permissionEvents[permission].isDecidedInSettings = inSettings.contains(permission)
    }

    /// Records the pre-prompts of an event. Only the first one of a permission opens a window.
    @inline(__always)
    private mutating func recordPrompts(
      of prompted: PermissionSet, by index: Int, _ permissionEvents: inout MutableSpan<PermissionEvents>
    ) {
      inSettings.subtract(prompted)
      var first = prompted
      first.subtract(answers.prompted)
      answers.prompted.formUnion(first)
      waiting.formUnion(first)
      for permission in first { permissionEvents[permission] = PermissionEvents(prompt: index) }
    }
  }
}

/// Calls a closure with elements in temporary memory, usually on the stack.
private func withTemporaryElements<Element>(
  repeating element: Element, count: Int, _ body: (inout MutableSpan<Element>) -> Void
) {
  // A group has few permissions, and most groups are counted without any other allocation.
  withUnsafeTemporaryAllocation(of: Element.self, capacity: count) { buffer in
    buffer.initialize(repeating: element)
    defer { buffer.deinitialize() }
    var elements = buffer.mutableSpan
    body(&elements)
  }
}

extension EventClass {
  /// The index of the permission that an event is about, or `nil` if it is not about one of the permissions.
  @inline(__always)
  func permission(of permissions: [FlowPermission]) -> Int? {
    guard let permission, permission < permissions.count else { return nil }
    return permission
  }
}

extension PermissionAction {
  /// Whether the action is an answer to the system's dialog.
  fileprivate var isDialogAnswer: Bool {
    switch self {
    case .granted, .limited, .denied: true
    case .other, .prePrompt, .provisional, .skipped, .enableTapped, .settingsOpened: false
    }
  }
}
