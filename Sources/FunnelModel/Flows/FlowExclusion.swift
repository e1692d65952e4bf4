/// An event that ends a chain in front of it and excludes the group from the funnel, if it occurs between the matches of two steps.
public struct FlowExclusion: Hashable, Sendable {
  /// The name of the event.
  public var event: String
  /// The id of the required step after whose match the event counts, or nil for the first required step.
  public var after: String?
  /// The id of the required step before whose match the event counts, or nil for the last required step.
  public var before: String?

  public init(event: String, after: String? = nil, before: String? = nil) {
    self.event = event
    self.after = after
    self.before = before
  }
}

extension FlowDefinition {
  /// Returns the places of an exclusion's steps among the required steps: it counts after the match of the first and before that of the
  /// second. Returns nil if one is not a required step of the flow, or if they are not in the order of the flow.
  public func requiredPlaces(of exclusion: FlowExclusion) -> (after: Int, before: Int)? {
    let required = requiredSteps.map { steps[$0].id }
    let after = exclusion.after.map { required.firstIndex(of: $0) } ?? required.indices.first
    let before = exclusion.before.map { required.firstIndex(of: $0) } ?? required.indices.last
    guard let after, let before, after < before else { return nil }
    return (after, before)
  }
}
