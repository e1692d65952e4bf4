extension BarChart {
  private static let labelBaseline = 14.0
  private static let barHeight = 18.0
  private static let indent = 18.0
  private static let lineHeight = 18.0
  private static let gap = 14.0
  /// The minimum distance between a label and a value in the same line.
  private static let valueSpacing = 12.0
  /// The distance between the texts of a bar and the bar.
  private static let textGap = 3.0
  /// The space below the last bar for the caps of its interval.
  private static let bottomMargin = 2.0
  /// The distance of a part's label from the left and the lower edge of the part.
  private static let partLabelInset = 5.0
  /// Half the height of the caps of an interval.
  private static let capHalfHeight = 4.0

  /// The marks: for each bar its label and value above it, its parts side by side, and its interval across their end.
  var drawing: ChartDrawing {
    // If one value has no room beside its label, all values are below their labels, so that they are aligned.
    let isStacked = bars.contains { bar in
      let label = ChartDrawing.width(of: bar.label.phrase.plainText) + Self.indent * Double(bar.label.depth)
      return label + ChartDrawing.width(of: bar.value.plainText) + Self.valueSpacing > ChartDrawing.widthMin
    }
    let barTop = (isStacked ? 2 : 1) * Self.lineHeight + Self.textGap
    let rowHeight = barTop + Self.barHeight + Self.gap
    var drawing = ChartDrawing(height: rowHeight * Double(bars.count) - Self.gap + Self.bottomMargin)
    for (row, bar) in bars.enumerated() {
      let y = rowHeight * Double(row)
      drawing.marks += ChartDrawing.texts { heading(of: bar, top: y, isStacked: isStacked, pageWidth: $0) }
      draw(bar, top: y + barTop, into: &drawing)
    }
    return drawing
  }

  /// Returns the label and the value of a bar.
  ///
  /// Stacked texts have room for two lines. A narrow page uses both of them. On a wide page, the value fits
  /// beside the label, and both are in the second line.
  private func heading(of bar: Bar, top: Double, isStacked: Bool, pageWidth: Double) -> [ChartText] {
    let indent = Self.indent * Double(bar.label.depth)
    let last = top + Self.labelBaseline + (isStacked ? Self.lineHeight : 0)
    let isStacked = isStacked && pageWidth == ChartDrawing.widthMin
    let room = pageWidth - indent - (isStacked ? 0 : ChartDrawing.width(of: bar.value.plainText) + Self.valueSpacing)
    return [
      ChartText(
        text: ChartDrawing.fitted(bar.label.phrase.plainText, to: room), x: 0, y: isStacked ? last - Self.lineHeight : last,
        dx: indent, role: .label),
      ChartText(
        text: bar.value.plainText, x: isStacked ? 0 : 100, y: last, dx: isStacked ? indent : 0,
        anchor: isStacked ? .start : .end, role: .value),
    ]
  }

  private func draw(_ bar: Bar, top: Double, into drawing: inout ChartDrawing) {
    guard bar.whole > 0 else { return }
    func percent(_ length: Double) -> Double { min(max(length / bar.whole, 0), 1) * 100 }
    drawing.marks.append(
      .line(x1: 0, y1: top + Self.barHeight, x2: 100, y2: top + Self.barHeight, stroke: .grid))
    var start = 0.0
    for (part, length) in zip(parts, bar.lengths) where length > 0 {
      let x = percent(start)
      let width = percent(length)
      start += length
      // Bars of rates have their numbers beside them.
      let count = parts.count > 1 && bar.interval == nil ? HumanNumbers.count(Int(length.rounded())) : ""
      let tip = count.isEmpty ? nil : "\(bar.label.phrase.plainText): \(count) \(part.name)"
      drawing.marks.append(.area(x: x, width: width, y: top, height: Self.barHeight, ink: part.ink, tip: tip))
      guard hasPartLabels, !count.isEmpty else { continue }
      // The longest label that fits: the count and the name, the count, or none.
      drawing.marks += ChartDrawing.texts { pageWidth in
        ["\(count) \(part.name)", count].first { ChartDrawing.fits($0, percent: width, of: pageWidth) }
          .map { text in
            [
              ChartText(
                text: text, x: x, y: top + Self.barHeight - Self.partLabelInset, dx: Self.partLabelInset, role: .on(part.ink))
            ]
          } ?? []
      }
    }
    guard let interval = bar.interval else { return }
    let low = percent(interval.lowerBound)
    let high = percent(interval.upperBound)
    let middle = top + Self.barHeight / 2
    drawing.marks += [
      .line(x1: low, y1: middle, x2: high, y2: middle, stroke: .interval),
      .line(x1: low, y1: middle - Self.capHalfHeight, x2: low, y2: middle + Self.capHalfHeight, stroke: .interval),
      .line(x1: high, y1: middle - Self.capHalfHeight, x2: high, y2: middle + Self.capHalfHeight, stroke: .interval),
    ]
  }
}
