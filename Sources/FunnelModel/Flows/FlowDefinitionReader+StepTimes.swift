extension FlowDefinitionReader {
  /// Reports a `window` or a `min_gap` that can't take effect.
  ///
  /// - Parameter elements: The steps as they stand in the file, in the same number.
  func checkTimes(of steps: [FlowStep], _ elements: [ConfigurationValue]) {
    let first = steps.firstIndex { !$0.isOptional }
    for (index, step) in steps.enumerated() {
      let object = input.object(elements[index])
      for key in ["window", "min_gap"] {
        guard let place = object?[key] else { continue }
        if step.isOptional {
          input.report("an optional step can't have a time limit, remove \"\(key)\"", at: place)
        } else if index == first {
          input.report("the first required step has no step before it, remove \"\(key)\"", at: place)
        }
      }
      if let gap = step.minGap, let window = step.window, gap > window, let place = object?["min_gap"] {
        input.report("\"min_gap\" is above \"window\" (\(window)), so no event can match, change one of them", at: place)
      }
    }
  }
}
