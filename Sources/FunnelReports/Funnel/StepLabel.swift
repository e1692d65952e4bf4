import FunnelModel

/// The labels of required steps in tables and on pages.
enum StepLabel {
  /// Returns the label of a required step.
  ///
  /// With `--order any`, the n-th row counts the groups that took at least n different steps, and has a label
  /// such as `any 2 of 5 steps`.
  ///
  /// - Parameters:
  ///   - number: The number of the step among the required ones, from 1.
  ///   - count: The number of required steps.
  static func text(of label: String, number: Int, of count: Int, order: StepOrder) -> String {
    guard order == .any else { return label }
    return number == count ? "all \(count) steps" : "any \(number) of \(count) steps"
  }
}

extension [FunnelRow] {
  /// Returns the rows with the labels of their required steps for an order.
  func labelled(for order: StepOrder) -> [FunnelRow] {
    guard order == .any else { return self }
    return map { row in
      var row = row
      let count = row.steps.count { !$0.isOptional }
      var number = 0
      for index in row.steps.indices where !row.steps[index].isOptional {
        number += 1
        row.steps[index].label = StepLabel.text(of: row.steps[index].label, number: number, of: count, order: order)
      }
      return row
    }
  }
}

extension [DropoffRow] {
  /// Returns the rows with the labels of their steps for an order. A row has all required steps except the last.
  func labelled(for order: StepOrder) -> [DropoffRow] {
    guard order == .any else { return self }
    return map { row in
      var row = row
      for index in row.steps.indices {
        row.steps[index].label = StepLabel.text(
          of: row.steps[index].label, number: index + 1, of: row.steps.count + 1, order: order)
      }
      return row
    }
  }
}
