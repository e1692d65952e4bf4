extension BarChart {
  private static let labelBaseline = 14.0
  private static let barHeight = 18.0
  private static let indent = 18.0
  private static let lineHeight = 18.0
  private static let gap = 14.0

  /// The marks: for each bar its label and its value above it, its parts one after the other, and its interval across their end.
  var drawing: ChartDrawing {
    // A value that has no room beside a label stands below it, in all bars, so that they are aligned.
    let isStacked = bars.contains { bar in
      let label = ChartDrawing.width(of: bar.label.phrase.plainText) + Self.indent * Double(bar.label.depth)
      return label + ChartDrawing.width(of: bar.value.plainText) + 12 > ChartDrawing.widthMin
    }
    let barTop = (isStacked ? 2 : 1) * Self.lineHeight + 3
    let rowHeight = barTop + Self.barHeight + Self.gap
    var drawing = ChartDrawing(height: rowHeight * Double(bars.count) - Self.gap + 2)
    for (row, bar) in bars.enumerated() {
      let y = rowHeight * Double(row)
      drawing.marks += ChartDrawing.texts { heading(of: bar, top: y, isStacked: isStacked, pageWidth: $0) }
      draw(bar, top: y + barTop, into: &drawing)
    }
    return drawing
  }

  /// Returns the label and the value of a bar. Where they are stacked, they have two lines: both of them on a narrow page, and the last
  /// one on a wide page, where the value has room beside the label.
  private func heading(of bar: Bar, top: Double, isStacked: Bool, pageWidth: Double) -> [ChartText] {
    let indent = Self.indent * Double(bar.label.depth)
    let last = top + Self.labelBaseline + (isStacked ? Self.lineHeight : 0)
    let isStacked = isStacked && pageWidth == ChartDrawing.widthMin
    let room = pageWidth - indent - (isStacked ? 0 : ChartDrawing.width(of: bar.value.plainText) + 12)
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
      let (x, width) = (percent(start), percent(length))
      start += length
      // Bars of rates say their numbers beside them.
      let count = parts.count > 1 && bar.interval == nil ? HumanNumbers.count(Int(length.rounded())) : ""
      let tip = count.isEmpty ? nil : "\(bar.label.phrase.plainText): \(count) \(part.name)"
      drawing.marks.append(.area(x: x, width: width, y: top, height: Self.barHeight, ink: part.ink, tip: tip))
      guard hasPartLabels, !count.isEmpty else { continue }
      // A part is labelled with its name where it has room, else with its number alone, else not at all.
      drawing.marks += ChartDrawing.texts { pageWidth in
        ["\(count) \(part.name)", count].first { ChartDrawing.fits($0, percent: width, of: pageWidth) }
          .map { [ChartText(text: $0, x: x, y: top + Self.barHeight - 5, dx: 5, role: .on(part.ink))] } ?? []
      }
    }
    guard let interval = bar.interval else { return }
    let (low, high, middle) = (percent(interval.lowerBound), percent(interval.upperBound), top + Self.barHeight / 2)
    drawing.marks += [
      .line(x1: low, y1: middle, x2: high, y2: middle, stroke: .interval),
      .line(x1: low, y1: middle - 4, x2: low, y2: middle + 4, stroke: .interval),
      .line(x1: high, y1: middle - 4, x2: high, y2: middle + 4, stroke: .interval),
    ]
  }
}
