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
    let event = object["event"].flatMap { input.name($0) }
    let after = object["after"].flatMap { input.name($0) }
    let before = object["before"].flatMap { input.name($0) }
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
