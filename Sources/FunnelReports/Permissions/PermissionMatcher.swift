import FunnelSequences
import FunnelModel
import FunnelProjections

/// Determines the answers of groups to the permissions of a flow.
struct PermissionMatcher: Sendable {
  let permissions: [FlowPermission]
  private let query: FlowQuery
  /// The steps whose entry is a pre-prompt of some permission, as a bit mask.
  private let primingSteps: UInt64

  init(_ query: FlowQuery) {
    self.query = query
    permissions = FlowPermission.all(of: query.flow)
    primingSteps = permissions.reduce(0) { $0 | $1.primingSteps }
  }

  /// Calls a closure with the answers of a group, and with the events about each permission.
  func withAnswers(
    in events: UnsafeBufferPointer<FlowEvent>, _ body: (PermissionAnswers, Span<PermissionEvents>) -> Void
  ) {
    withTemporaryElements(repeating: PermissionEvents(), count: permissions.count) { permissionEvents in
      var pass = Pass(matcher: self)
      for index in events.indices { pass.add(events[index], at: index, to: &permissionEvents) }
      for permission in pass.answers.prompted where query.span.contains(permissionEvents[permission].milliseconds) {
        pass.answers.counted.insert(permission)
      }
      body(pass.answers, permissionEvents.span)
    }
  }

  /// Returns the permissions for which an event is a pre-prompt.
  @inline(__always)
  private func permissionsPrompted(by event: FlowEvent, about permission: Int?) -> PermissionSet {
    var prompted = PermissionSet()
    if let permission, event.kind.action == .prePrompt { prompted.insert(permission) }
    if event.kind.stepMask & primingSteps != 0 {
      prompted.formUnion(
        PermissionSet(permissions.indices) { permissions[$0].primingSteps & event.kind.stepMask != 0 })
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
    mutating func add(_ event: FlowEvent, at index: Int, to permissionEvents: inout MutableSpan<PermissionEvents>) {
      let permission = event.kind.action == .other ? nil : event.kind.permission(of: matcher.permissions)
      let prompted = matcher.permissionsPrompted(by: event, about: permission)
      if !waiting.isEmpty, event.kind.stepMask != 0 || !prompted.isEmpty {
        recordPassed(by: event, prompting: prompted, permissionEvents)
      }
      // An event that both answers and prompts answers an earlier pre-prompt.
      if let permission, event.kind.action != .prePrompt {
        recordAnswer(event, at: index, to: permission, &permissionEvents)
      }
      if event.kind.action == .settingsOpened { inSettings.formUnion(decided) }
      if !prompted.isEmpty { recordPrompts(of: prompted, by: event, at: index, &permissionEvents) }
    }

    /// Records which of the waiting permissions an event passes without a decision.
    @inline(__always)
    private mutating func recordPassed(
      by event: FlowEvent, prompting prompted: PermissionSet, _ permissionEvents: borrowing MutableSpan<PermissionEvents>
    ) {
      for permission in waiting {
        if !permissionEvents[permission].window.contains(event.milliseconds) {
          waiting.remove(permission)
        } else if event.kind.stepMask & matcher.permissions[permission].laterSteps != 0
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
      _ event: FlowEvent, at index: Int, to permission: Int, _ permissionEvents: inout MutableSpan<PermissionEvents>
    ) {
      if event.kind.action.isDialogAnswer {
        let isFirst = !answered.contains(permission) && !answers.prompted.contains(permission)
        if isFirst, matcher.query.span.contains(event.milliseconds) { answers.unprimed.insert(permission) }
        answered.insert(permission)
      }
      guard answers.prompted.contains(permission), permissionEvents[permission].window.contains(event.milliseconds) else {
        return
      }
      permissionEvents[permission].record(event.kind.action, at: index)
      guard event.kind.action != .enableTapped else { return }
      waiting.remove(permission)
      decided.insert(permission)
      permissionEvents[permission].isDecidedInSettings = inSettings.contains(permission)
    }

    /// Records the pre-prompts of an event. Only the first one of a permission opens a window.
    @inline(__always)
    private mutating func recordPrompts(
      of prompted: PermissionSet, by event: FlowEvent, at index: Int,
      _ permissionEvents: inout MutableSpan<PermissionEvents>
    ) {
      inSettings.subtract(prompted)
      var first = prompted
      first.subtract(answers.prompted)
      answers.prompted.formUnion(first)
      waiting.formUnion(first)
      for permission in first {
        permissionEvents[permission] = PermissionEvents(
          prompt: index, milliseconds: event.milliseconds, window: matcher.query.clock.window(from: event.milliseconds))
      }
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
