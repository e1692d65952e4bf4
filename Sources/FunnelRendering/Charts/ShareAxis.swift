package import FunnelModel

/// The vertical axis of a chart of shares over time.
///
/// It begins at zero unless the shares need less than the upper half of it. Then it is cut, which the chart marks.
///
/// It fits the shares of at least ``fewGroupsMax`` groups, if there are any. Others are often 0 % or 100 %, and would make
/// every axis one of all shares. Where they are beyond the axis, a chart draws them at its end.
package struct ShareAxis: Equatable {
  /// The share at the lower end of the plot, 0 if the axis is not cut.
  let bottom: Double
  let top: Double
  /// The shares with a grid line, in ascending order.
  let ticks: [Double]

  /// Whether the part of the axis above zero is left out.
  var isCut: Bool { bottom > 0 }

  /// The axis is cut if the lowest share is above this part of the highest.
  private static let cutPart = 0.5
  /// The distances of the grid lines of a cut axis, and the largest number of them between the lowest and the highest share.
  private static let steps = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2]
  private static let stepsMax = 3.0

  /// Creates an axis that fits the intervals of some rates.
  init(fitting rates: [Rate?]) {
    let rates = Self.decisive(rates)
    self.init(low: rates.map(\.low).min() ?? 0, high: rates.map(\.high).max() ?? 1)
  }

  /// Creates an axis that fits the values of some rates, for a chart without their intervals.
  package init(fittingValuesOf rates: [Rate?]) {
    let values = Self.decisive(rates).map(\.value)
    self.init(low: values.min() ?? 0, high: values.max() ?? 1)
  }

  /// Returns the rates that are not of few groups, or all if there are none.
  private static func decisive(_ rates: [Rate?]) -> [Rate] {
    let rates = rates.compactMap(\.self)
    let firm = rates.filter { !$0.isOfFew }
    return firm.isEmpty ? rates : firm
  }

  private init(low: Double, high: Double) {
    precondition(low <= high, "an axis fits a range")
    let step = Self.steps.first { (high - low) / $0 <= Self.stepsMax } ?? 1
    let first = (low / step).rounded(.down)
    guard low > high * Self.cutPart, first > 0, step < 1 else {
      bottom = 0
      top = ChartScale.shareTop(high)
      ticks = [0, top / 2, top]
      return
    }
    let last = max((high / step).rounded(.up), first + 1)
    bottom = first * step
    top = last * step
    ticks = (Int(first)...Int(last)).map { Double($0) * step }
  }
}
