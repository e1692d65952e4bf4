package import FunnelModel

extension FlowDefinition {
  /// Returns the indices of an exclusion's two steps in ``requiredSteps``, or `nil` if one is not a required
  /// step or they are not in the order of the flow.
  package func requiredPlaces(of exclusion: FlowExclusion) -> (after: Int, before: Int)? {
    let required = requiredSteps.map { steps[$0].id }
    let after = exclusion.after.map { required.firstIndex(of: $0) } ?? required.indices.first
    let before = exclusion.before.map { required.firstIndex(of: $0) } ?? required.indices.last
    guard let after, let before, after < before else { return nil }
    return (after, before)
  }
}
