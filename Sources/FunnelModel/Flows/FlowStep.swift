/// One step of a flow.
package struct FlowStep: Hashable, Sendable {
  /// The step's ID, unique within its flow version.
  package var id: String
  /// The step's name in reports.
  package var label: String
  /// The events that enter the step.
  package var kind: Kind
  /// Whether a group can complete the flow without the step.
  package var isOptional: Bool
  /// The permissions that the step asks for, in order.
  package var asks: [String]
  /// The permissions in ``asks`` for which entering the step is the pre-prompt (`"primed_by":"step"`).
  package var permissionsPrimedOnEntry: Set<String> = []
  /// The schemas of the properties of the step's `step_*` events, by key.
  package var props: [String: PropertySchema] = [:]
  /// The keys of the properties that the step's `step_*` events must have.
  package var requiredProps: [String] = []
  /// The position of the app's progress bar on the step, from 0 to 1, or `nil` if it is unspecified.
  package var progress: Double?
  /// The maximum time from the previous step's match to this one, inclusive, or `nil` for no limit except the flow's window.
  ///
  /// Only required steps other than the first have this and ``minGap``.
  package var window: TimeSpan?
  /// The minimum time from the previous step's match to this one, inclusive, or `nil` for none.
  package var minGap: TimeSpan?

  /// The events that enter a step.
  package enum Kind: Hashable, Sendable {
    /// `step_viewed` with the step's ID.
    case screen
    /// The pre-prompt of a permission.
    case permission(String)
    /// Every event that matches one of these patterns.
    case event([EventPattern])
  }

  /// All permissions that the step asks for: that of ``kind``, then ``asks``.
  package var permissions: [String] {
    if case .permission(let name) = kind { [name] + asks } else { asks }
  }

  package init(
    id: String, label: String, kind: Kind, isOptional: Bool, asks: [String] = [], progress: Double? = nil
  ) {
    self.id = id
    self.label = label
    self.kind = kind
    self.isOptional = isOptional
    self.asks = asks
    self.progress = progress
  }
}
