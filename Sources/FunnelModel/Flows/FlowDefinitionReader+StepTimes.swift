extension FlowDefinitionReader {
  /// Reports a `window` or a `min_gap` that can't take effect.
  ///
  /// - Parameter elements: The values in the file from which the steps were read, one for each.
  /// - Precondition: There are as many elements as steps.
  func checkTimes(of steps: [FlowStep], _ elements: [ConfigurationValue]) {
    precondition(elements.count == steps.count, "each step has an element")
    let first = steps.firstIndex { !$0.isOptional }
    for (index, step) in steps.enumerated() {
      let object = input.object(elements[index])
      for key in ["window", "min_gap"] {
        guard let location = object?[key] else { continue }
        if step.isOptional {
          input.report("an optional step can't have a time limit, remove \"\(key)\"", at: location)
        } else if index == first {
          input.report("the first required step has no step before it, remove \"\(key)\"", at: location)
        }
      }
      if let gap = step.minGap, let window = step.window, gap > window, let location = object?["min_gap"] {
        input.report("\"min_gap\" is above \"window\" (\(window)), so no event can match, change one of them", at: location)
      }
    }
  }
}
