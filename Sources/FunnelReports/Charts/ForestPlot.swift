/// Differences with their 95 % intervals around a line of no difference, one below the other.
struct ForestPlot {
  struct Row {
    let label: String
    /// The difference and its interval, as shares; nil if there was nothing to compare.
    let difference: (value: Double, low: Double, high: Double)?
    /// What the row comes to, such as `+5.3 points, p = 0.12`.
    let value: String
    /// Whether the difference is more than chance.
    let isSignificant: Bool
  }

  let rows: [Row]
  /// What lies on the side of negative differences, and what on that of positive ones.
  let less: String
  let more: String

  /// The largest difference that the axis shows, on both sides.
  var reach: Double {
    ChartScale.roundedUp(rows.compactMap(\.difference).map { max(abs($0.low), abs($0.high)) }.max() ?? 0.1)
  }
}

extension ForestPlot {
  private static let lineHeight = 18.0
  private static let top = 4.0
  private static let axisHeight = 40.0

  /// The marks: for each row its label and value, a line over its interval and a dot at its difference; the axis below.
  var drawing: ChartDrawing {
    // A value that has no room beside a label stands below it, in all rows, so that they are aligned.
    let isStacked = rows.contains { row in
      ChartDrawing.width(of: row.label) + ChartDrawing.width(of: row.value) + 12 > ChartDrawing.widthMin
    }
    let rowHeight = 28 + (isStacked ? 2 : 1) * Self.lineHeight
    let base = Self.top + rowHeight * Double(rows.count)
    var drawing = ChartDrawing(height: base + Self.axisHeight)
    func x(_ difference: Double) -> Double { 50 + difference / reach * 50 }
    for mark in [-reach, 0, reach] {
      let anchor: ChartText.Anchor = mark < 0 ? .start : mark > 0 ? .end : .middle
      drawing.marks.append(
        .text(
          ChartText(
            text: mark == 0 ? "0" : HumanNumbers.points(mark) + (mark > 0 ? " points" : ""), x: x(mark), y: base + 15,
            anchor: anchor, role: .axis)))
    }
    drawing.marks.append(.text(ChartText(text: "← \(less)", x: 0, y: base + 33, role: .axis)))
    drawing.marks.append(.text(ChartText(text: "\(more) →", x: 100, y: base + 33, anchor: .end, role: .axis)))
    for (index, row) in rows.enumerated() {
      let y = Self.top + rowHeight * Double(index)
      drawing.marks += ChartDrawing.texts { heading(of: row, top: y, isStacked: isStacked, pageWidth: $0) }
      let middle = y + rowHeight - 18
      drawing.marks.append(.line(x1: 50, y1: middle - 9, x2: 50, y2: middle + 9, stroke: .base))
      guard let difference = row.difference else { continue }
      drawing.marks += [
        .line(x1: 0, y1: middle, x2: 100, y2: middle, stroke: .grid),
        .line(x1: x(difference.low), y1: middle, x2: x(difference.high), y2: middle, stroke: .interval),
        .dot(x: x(difference.value), y: middle, isOpen: !row.isSignificant, tip: "\(row.label): \(row.value)"),
      ]
    }
    return drawing
  }

  /// Returns the label and the value of a row. Where they are stacked, they have two lines: both of them on a narrow page, and the last
  /// one on a wide page, where the value has room beside the label.
  private func heading(of row: Row, top: Double, isStacked: Bool, pageWidth: Double) -> [ChartText] {
    let last = top + 13 + (isStacked ? Self.lineHeight : 0)
    let isStacked = isStacked && pageWidth == ChartDrawing.widthMin
    let room = pageWidth - (isStacked ? 0 : ChartDrawing.width(of: row.value) + 12)
    return [
      ChartText(
        text: ChartDrawing.fitted(row.label, to: room), x: 0, y: isStacked ? last - Self.lineHeight : last, role: .label),
      ChartText(
        text: row.value, x: isStacked ? 0 : 100, y: last, anchor: isStacked ? .start : .end,
        role: row.isSignificant ? .value : .axis),
    ]
  }
}
