/// An event that excludes a group from the funnel if it occurs between the matches of two steps. The group's
/// chain ends before it.
public struct FlowExclusion: Hashable, Sendable {
  /// The name of the event.
  public var event: String
  /// The ID of the required step after whose match the event excludes, or `nil` for the first required step.
  public var after: String?
  /// The ID of the required step before whose match the event excludes, or `nil` for the last required step.
  public var before: String?

  /// Creates an exclusion.
  public init(event: String, after: String? = nil, before: String? = nil) {
    self.event = event
    self.after = after
    self.before = before
  }
}

extension FlowDefinition {
  /// Returns the indices of an exclusion's two steps in ``requiredSteps``, or `nil` if one is not a required
  /// step or they are not in the order of the flow.
  public func requiredPlaces(of exclusion: FlowExclusion) -> (after: Int, before: Int)? {
    let required = requiredSteps.map { steps[$0].id }
    let after = exclusion.after.map { required.firstIndex(of: $0) } ?? required.indices.first
    let before = exclusion.before.map { required.firstIndex(of: $0) } ?? required.indices.last
    guard let after, let before, after < before else { return nil }
    return (after, before)
  }
}
