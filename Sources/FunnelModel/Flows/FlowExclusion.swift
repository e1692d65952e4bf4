/// An event that excludes a group from the funnel if it occurs between the matches of two steps. The group's
/// chain ends before it.
package struct FlowExclusion: Hashable, Sendable {
  /// The name of the event.
  package let event: String
  /// The ID of the required step after whose match the event excludes, or `nil` for the first required step.
  package var after: String?
  /// The ID of the required step before whose match the event excludes, or `nil` for the last required step.
  package var before: String?
}

extension FlowDefinitionReader {
  /// Reads `exclude`: the events that exclude a group from the funnel.
  ///
  /// - Parameter steps: The steps of the flow, or `nil` if they are invalid. References to them are then not checked.
  func readExclusions(_ value: ConfigurationValue, steps: [FlowStep]?) -> [FlowExclusion] {
    let required = steps?.filter { !$0.isOptional }.map(\.id)
    var result: [FlowExclusion] = []
    let elements = input.array(value, needed: "an array of exclusions") ?? []
    if elements.count > Limits.flowExclusionsMax {
      input.report("\(elements.count) exclusions, at most \(Limits.flowExclusionsMax) are allowed", at: value)
      return []
    }
    for element in elements {
      guard let exclusion = readExclusion(element, required: required) else { continue }
      if result.contains(exclusion) { input.report("the exclusion is listed twice, remove one", at: element) }
      result.append(exclusion)
    }
    return result
  }

  private func readExclusion(_ value: ConfigurationValue, required: [String]?) -> FlowExclusion? {
    let keys = ["event", "after", "before"]
    guard let object = input.object(value, allowed: keys, required: ["event"], needed: "an object (an exclusion)") else {
      return nil
    }
    let event = object.name("event")
    let after = object.name("after")
    let before = object.name("before")
    for (name, location) in [(after, object["after"]), (before, object["before"])] {
      guard let name, let location else { continue }
      input.checkReference(to: name, in: required, "required step", at: location)
    }
    if let required, let first = required.first, let last = required.last,
      let start = required.firstIndex(of: after ?? first), let end = required.firstIndex(of: before ?? last), start >= end
    {
      input.report(
        """
        the step \(required[start].quoted) does not come before \(required[end].quoted), so nothing is between them, name two \
        required steps in the order of the flow
        """, at: value)
    }
    return event.map { FlowExclusion(event: $0, after: after, before: before) }
  }
}

extension FlowCatalog {
  /// Returns the catalog with exclusions added to some flow versions, each from the first to the last required
  /// step. Indices stay the same.
  ///
  /// - Parameters:
  ///   - events: The names of the events that exclude a group.
  ///   - flows: The catalog indices of the flow versions.
  /// - Throws: A usage error if a flow version then has more exclusions than ``Limits/flowExclusionsMax``.
  package func excluding(_ events: [String], from flows: Set<Int>) throws(FunnelError) -> FlowCatalog {
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
