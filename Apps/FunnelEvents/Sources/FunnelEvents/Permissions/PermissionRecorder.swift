/// Records the events of one permission, under the names that `funnel` counts.
///
///     let photos = onboarding.permission(CleanerPermissionsFlow.Permission.photos)
///     photos.prePromptShown()                // when the app's own screen appears
///     let outcome = await photos.requestPhotos()  // at a tap on "Enable": asks, and records the answer
///
/// The products FunnelPhotos, FunnelContacts, FunnelNotifications, FunnelLocation, FunnelTracking and FunnelHealth add the methods that
/// ask. An app links those that it uses: Apple demands a purpose string for each permission that the code of an app mentions.
public struct PermissionRecorder: Sendable {
  /// The recorder that stores the events.
  public let recorder: any EventRecording
  /// The permission, as the flow definition names it.
  public let permission: String
  /// An event of the flow, whose name is replaced.
  private let template: FunnelEvent

  init(recorder: any EventRecording, permission: String, template: FunnelEvent) {
    self.recorder = recorder
    self.permission = permission
    self.template = template
  }

  /// Records that the app's own screen before the dialog appeared: `perm_<permission>_pre_prompt_shown`.
  public func prePromptShown() { record(.prePromptShown) }

  /// Records that the button that leads to the dialog was tapped: `perm_<permission>_enable_tapped`. The methods that ask call it themselves.
  public func enableTapped() { record(.enableTapped) }

  /// Records that the app explained what does not work without the permission: `perm_<permission>_skip_explained`.
  public func skipExplained() { record(.skipExplained) }

  /// Records an answer: `perm_<permission>_granted` and the like.
  public func answered(_ outcome: PermissionOutcome, props: [String: EventValue] = [:]) {
    record(PermissionEvent(outcome), props: props)
  }

  /// Records `perm_<permission>_enable_tapped`, asks, and records the answer.
  ///
  /// - Parameters:
  ///   - isDetermined: Whether the system had an answer before, so that no dialog comes. The event then has `dialog` false.
  ///   - request: Asks, and returns the answer, or `nil` if there is none.
  /// - Returns: The answer, or `nil` if there is none. Nothing is recorded then.
  public func ask(isDetermined: Bool, _ request: () async -> PermissionOutcome?) async -> PermissionOutcome? {
    enableTapped()
    let outcome = await request()
    if let outcome { answered(outcome, props: isDetermined ? ["dialog": false] : [:]) }
    return outcome
  }

  private func record(_ event: PermissionEvent, props: [String: EventValue] = [:]) {
    var recorded = template
    recorded.name = "perm_\(permission)_\(event.rawValue)"
    recorded.props = props
    recorder.record(recorded)
  }
}

extension EventRecording {
  /// Returns a recorder for a permission.
  ///
  /// - Parameters:
  ///   - permission: The permission, as the flow definition names it, such as `photos`.
  ///   - flow: The flow, or `nil` for every flow of the app that asks for the permission.
  public func permission(_ permission: String, flow: String? = nil) -> PermissionRecorder {
    PermissionRecorder(recorder: self, permission: permission, template: FunnelEvent("", flow: flow))
  }
}

extension FlowRecorder {
  /// Returns a recorder for a permission of the flow, a case of the generated `Permission`.
  public func permission<Permission: RawRepresentable>(_ permission: Permission) -> PermissionRecorder
  where Permission.RawValue == String {
    var template = FunnelEvent("", flow: Event.flow, flowVersion: Event.version)
    template.app = Event.app
    template.forbiddenKeys = Event.forbiddenKeys
    return PermissionRecorder(recorder: recorder, permission: permission.rawValue, template: template)
  }
}
