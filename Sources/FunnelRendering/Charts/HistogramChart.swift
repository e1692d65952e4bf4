/// A histogram. All columns have the same width, so their areas are proportional to their counts.
package struct HistogramChart {
  /// One column.
  package struct Bin: Equatable {
    /// The label of the lower edge.
    let edge: String
    /// The label of the whole bin.
    let name: String
    let count: Int

    package init(edge: String, name: String, count: Int) {
      precondition(count >= 0, "a count is not negative")
      self.edge = edge
      self.name = name
      self.count = count
    }
  }

  let bins: [Bin]
  /// The count of a column of full height, or `nil` for the largest count of the bins.
  package var top: Double?
  /// The height of a column of full height, in pixels.
  package var plotHeight = 130.0

  package init(bins: [Bin], top: Double? = nil) {
    self.bins = bins
    self.top = top
  }
}

extension HistogramChart {
  private static let top = 18.0
  private static let axisHeight = 20.0
  /// The space at each side of a column, as a share of the width for a column.
  private static let columnMargin = 0.04
  /// The distance of a count from its column, in pixels.
  private static let countGap = 4.0
  /// The height of a count, in pixels.
  private static let countHeight = 13.0
  /// The distance of the baseline of the edges from the columns, in pixels.
  private static let edgeBaseline = 15.0
  /// The minimum distance between the labels of two edges, in pixels.
  private static let edgeSpacing = 8.0

  /// The marks: a column for each bin, the counts above the columns where they fit, and the edges below.
  var drawing: ChartDrawing {
    let base = Self.top + plotHeight
    var drawing = ChartDrawing(height: base + Self.axisHeight)
    let largest = Double(bins.map(\.count).max() ?? 0)
    guard largest > 0 else { return drawing }
    let tallest = max(top ?? largest, largest)
    let width = Percent(100 / Double(bins.count))
    for (index, bin) in bins.enumerated() {
      let x = width * Double(index)
      let height = plotHeight * Double(bin.count) / tallest
      if bin.count > 0 {
        drawing.marks.append(
          .area(
            x: x + width * Self.columnMargin, width: width * (1 - 2 * Self.columnMargin), y: base - height, height: height,
            ink: .good,
            tip: "\(bin.name): \(HumanNumbers.count(bin.count))"))
      }
    }
    drawing.marks += ChartDrawing.texts { counts(above: base, tallest: tallest, pageWidth: $0) }
    drawing.marks += ChartDrawing.texts { edges(at: base + Self.edgeBaseline, pageWidth: $0) }
    drawing.marks.append(.line(x1: 0, y1: base, x2: 100, y2: base, stroke: .base))
    return drawing
  }

  /// A count above its column.
  private struct CountLabel {
    let bin: Int
    /// The left and the right edge of the text, in pixels.
    let horizontal: Range<Double>
    let text: ChartText

    func overlaps(_ other: CountLabel) -> Bool {
      horizontal.overlaps(other.horizontal) && abs(text.y - other.text.y) < HistogramChart.countHeight
    }
  }

  /// Returns the counts that fit. Tall columns have precedence.
  ///
  /// A count may be wider than its column, but must not overlap another count or another column.
  private func counts(above base: Double, tallest: Double, pageWidth: Double) -> [ChartText] {
    let columnWidth = pageWidth / Double(bins.count)
    func top(_ bin: Int) -> Double { base - plotHeight * Double(bins[bin].count) / tallest }
    var labels: [CountLabel] = []
    for bin in bins.indices.sorted(by: { (-bins[$0].count, $0) < (-bins[$1].count, $1) }) where bins[bin].count > 0 {
      let label = countLabel(of: bin, baseline: top(bin) - Self.countGap, pageWidth: pageWidth)
      let coversColumn = bins.indices.contains { other in
        let start = Double(other) * columnWidth
        let column = start..<start + columnWidth
        return other != bin && label.horizontal.overlaps(column) && top(other) < label.text.y
      }
      if !coversColumn, !labels.contains(where: label.overlaps) { labels.append(label) }
    }
    return labels.sorted { $0.bin < $1.bin }.map(\.text)
  }

  private func countLabel(of bin: Int, baseline: Double, pageWidth: Double) -> CountLabel {
    let count = HumanNumbers.count(bins[bin].count)
    let columnWidth = pageWidth / Double(bins.count)
    let middle = (Double(bin) + 0.5) * columnWidth
    let half = ChartDrawing.width(of: count) / 2
    // A count that would leave the chart is aligned with the edge of the chart.
    let position = ChartText.inside(
      x: Percent((Double(bin) + 0.5) * 100 / Double(bins.count)), left: middle, right: pageWidth - middle, half: half)
    let left: Double =
      switch position.anchor {
      case .start: 0
      case .middle: middle - half
      case .end: pageWidth - 2 * half
      }
    let text = ChartText(text: count, x: position.x, y: baseline, anchor: position.anchor, role: .axis)
    return CountLabel(bin: bin, horizontal: left..<left + 2 * half, text: text)
  }

  /// Returns the labels of every n-th edge, with the smallest n at which they fit.
  private func edges(at y: Double, pageWidth: Double) -> [ChartText] {
    let width = Percent(100 / Double(bins.count))
    let widest = bins.map { ChartDrawing.width(of: $0.edge) }.max() ?? 0
    let every = max(1, Int(((widest + Self.edgeSpacing) / width.pixels(of: pageWidth)).rounded(.up)))
    return bins.indices.filter { $0 % every == 0 }.map { index in
      ChartText(text: bins[index].edge, x: width * Double(index), y: y, role: .axis)
    }
  }
}
