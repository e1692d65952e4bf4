/// A forest plot: a row for each difference with its 95 % interval, around a vertical line at zero.
package struct ForestPlot {
  /// One difference.
  package struct Row {
    let label: String
    /// The difference and its interval, as shares, or `nil` if there is nothing to compare.
    let difference: (value: Double, low: Double, high: Double)?
    /// The result in words, such as `+5.3 points, p = 0.12`.
    let value: String
    /// Whether the difference is statistically significant.
    let isSignificant: Bool

    package init(label: String, difference: (value: Double, low: Double, high: Double)?, value: String, isSignificant: Bool) {
      self.label = label
      self.difference = difference
      self.value = value
      self.isSignificant = isSignificant
    }
  }

  let rows: [Row]
  /// The label of the side of negative differences.
  let less: String
  /// The label of the side of positive differences.
  let more: String

  package init(rows: [Row], less: String, more: String) {
    self.rows = rows
    self.less = less
    self.more = more
  }

  /// The largest absolute difference on the axis, which is symmetric.
  var reach: Double {
    ChartScale.roundedUp(rows.compactMap(\.difference).map { max(abs($0.low), abs($0.high)) }.max() ?? 0.1)
  }
}

extension ForestPlot {
  private static let top = 4.0
  private static let axisHeight = 40.0
  private static let labelBaseline = 13.0
  /// The height of the interval of a row, without its texts.
  private static let intervalHeight = 28.0
  /// The distance of the interval's line from the bottom of its row.
  private static let intervalBottom = 18.0
  /// Half the height of the vertical line at zero.
  private static let zeroHalfHeight = 9.0
  /// The baseline of the values of the axis, and that of the names of its sides below them.
  private static let axisBaseline = 15.0
  private static let sidesBaseline = 33.0

  /// The marks: for each row its label and value, a line over its interval and a dot at its difference, and the
  /// axis below.
  var drawing: ChartDrawing {
    let isStacked = rows.contains { heading(of: $0).needsTwoLines }
    let rowHeight = Self.intervalHeight + (isStacked ? 2 : 1) * RowHeading.lineHeight
    let base = Self.top + rowHeight * Double(rows.count)
    var drawing = ChartDrawing(height: base + Self.axisHeight)
    func x(_ difference: Double) -> Percent { Percent(50 + difference / reach * 50) }
    for mark in [-reach, 0, reach] {
      let anchor: ChartText.Anchor
      let text: String
      if mark < 0 {
        anchor = .start
        text = HumanNumbers.points(mark)
      } else if mark > 0 {
        anchor = .end
        text = HumanNumbers.points(mark) + " points"
      } else {
        anchor = .middle
        text = "0"
      }
      drawing.marks.append(
        .text(ChartText(text: text, x: x(mark), y: base + Self.axisBaseline, anchor: anchor, role: .axis)))
    }
    drawing.marks.append(.text(ChartText(text: "← \(less)", x: 0, y: base + Self.sidesBaseline, role: .axis)))
    drawing.marks.append(.text(ChartText(text: "\(more) →", x: 100, y: base + Self.sidesBaseline, anchor: .end, role: .axis)))
    for (index, row) in rows.enumerated() {
      let y = Self.top + rowHeight * Double(index)
      drawing.marks += heading(of: row).marks(baseline: y + Self.labelBaseline, isStacked: isStacked)
      let middle = y + rowHeight - Self.intervalBottom
      drawing.marks.append(
        .line(x1: 50, y1: middle - Self.zeroHalfHeight, x2: 50, y2: middle + Self.zeroHalfHeight, stroke: .base))
      guard let difference = row.difference else { continue }
      drawing.marks += [
        .line(x1: 0, y1: middle, x2: 100, y2: middle, stroke: .grid),
        .line(x1: x(difference.low), y1: middle, x2: x(difference.high), y2: middle, stroke: .interval),
        .dot(x: x(difference.value), y: middle, isOpen: !row.isSignificant, tip: "\(row.label): \(row.value)"),
      ]
    }
    return drawing
  }

  private func heading(of row: Row) -> RowHeading {
    RowHeading(label: row.label, value: row.value, valueRole: row.isSignificant ? .value : .axis)
  }
}
