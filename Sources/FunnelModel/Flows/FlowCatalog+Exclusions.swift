extension FlowCatalog {
  /// Returns the catalog with exclusions added to some flow versions, each from the first to the last required
  /// step. Indices stay the same.
  ///
  /// - Parameters:
  ///   - events: The names of the events that exclude a group.
  ///   - flows: The catalog indices of the flow versions.
  /// - Throws: A usage error if a flow version then has more exclusions than ``Limits/flowExclusionsMax``.
  public func excluding(_ events: [String], from flows: Set<Int>) throws(FunnelError) -> FlowCatalog {
    guard !events.isEmpty else { return self }
    var changed = definitions
    for index in flows.sorted() {
      for event in events where !changed[index].exclusions.contains(FlowExclusion(event: event)) {
        changed[index].exclusions.append(FlowExclusion(event: event))
      }
      let count = changed[index].exclusions.count
      guard count <= Limits.flowExclusionsMax else {
        let own = definitions[index].exclusions.count
        let ofDefinition = own > 0 ? " with the \(own) of its definition" : ""
        let flow = adHocIndices.contains(index) ? "--steps" : definitions[index].reference
        throw FunnelError(
          .usage,
          "\(count) exclusions of \(flow)\(ofDefinition), at most \(Limits.flowExclusionsMax) are allowed, leave out an --exclude"
        )
      }
    }
    return replacing(definitions: changed)
  }
}
