import FunnelProjections

extension DropoffStepRow {
  /// The other steps that groups visited last after they dropped at this one, in the order of the flow.
  var lastElsewhere: [LastStep] { lastSteps.filter { $0.id != id && $0.groups > 0 } }

  /// Returns the share of the dropped groups that visited a step last, or `nil` if none dropped.
  func share(of last: LastStep) -> Double? {
    dropped > 0 ? Double(last.groups) / Double(dropped) : nil
  }
}

extension [DropoffRow] {
  /// Returns the other steps that groups of any row visited last before they dropped at a step. They are in the
  /// order of the flow, as far as the rows determine it.
  func lastElsewhere(step index: Int) -> [LastStep] {
    var steps: [LastStep] = []
    for row in self where index < row.steps.count {
      var insertion = 0
      for last in row.steps[index].lastElsewhere {
        if let known = steps.firstIndex(where: { $0.id == last.id }) {
          insertion = known + 1
        } else {
          steps.insert(last, at: insertion)
          insertion += 1
        }
      }
    }
    return steps
  }
}
