/// A histogram. All columns have the same width, so their areas are proportional to their counts.
struct HistogramChart {
  /// One column.
  struct Bin: Equatable {
    /// The label of the lower edge.
    let edge: String
    /// The label of the whole bin.
    let name: String
    let count: Int
  }

  let bins: [Bin]
  /// The count of a column of full height, or `nil` for the largest count of the bins.
  var top: Double?
  /// The height of a column of full height, in pixels.
  var plotHeight = 130.0
}

extension HistogramChart {
  private static let top = 18.0
  private static let axisHeight = 20.0
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
    let width = 100 / Double(bins.count)
    for (index, bin) in bins.enumerated() {
      let x = width * Double(index)
      let height = plotHeight * Double(bin.count) / tallest
      if bin.count > 0 {
        drawing.marks.append(
          .area(
            x: x + width * 0.04, width: width * 0.92, y: base - height, height: height, ink: .good,
            tip: "\(bin.name): \(HumanNumbers.count(bin.count))"))
      }
    }
    drawing.marks += ChartDrawing.texts { counts(above: base, tallest: tallest, pageWidth: $0) }
    drawing.marks += ChartDrawing.texts { edges(at: base + Self.edgeBaseline, pageWidth: $0) }
    drawing.marks.append(.line(x1: 0, y1: base, x2: 100, y2: base, stroke: .base))
    return drawing
  }

  /// Returns the counts that fit. Tall columns have precedence.
  ///
  /// A count may be wider than its column, but must not overlap another count or another column.
  private func counts(above base: Double, tallest: Double, pageWidth: Double) -> [ChartText] {
    let columnWidth = pageWidth / Double(bins.count)
    func top(_ bin: Bin) -> Double { base - plotHeight * Double(bin.count) / tallest }
    var placed: [(index: Int, left: Double, right: Double, baseline: Double, text: ChartText)] = []
    for index in bins.indices.sorted(by: { (-bins[$0].count, $0) < (-bins[$1].count, $1) }) where bins[index].count > 0 {
      let count = HumanNumbers.count(bins[index].count)
      let baseline = top(bins[index]) - Self.countGap
      let middle = (Double(index) + 0.5) * columnWidth
      let half = ChartDrawing.width(of: count) / 2
      let anchor: ChartText.Anchor
      let left: Double
      let x: Double
      // A count that would leave the chart is aligned with the edge of the chart.
      if middle < half {
        anchor = .start
        left = 0
        x = 0
      } else if pageWidth - middle < half {
        anchor = .end
        left = pageWidth - 2 * half
        x = 100
      } else {
        anchor = .middle
        left = middle - half
        x = (Double(index) + 0.5) * 100 / Double(bins.count)
      }
      let right = left + 2 * half
      let coversCount = placed.contains {
        left < $0.right && $0.left < right && abs($0.baseline - baseline) < Self.countHeight
      }
      let coversColumn = bins.indices.contains { other in
        let start = Double(other) * columnWidth
        return other != index && left < start + columnWidth && start < right && top(bins[other]) < baseline
      }
      guard !coversCount, !coversColumn else { continue }
      placed.append((index, left, right, baseline, ChartText(text: count, x: x, y: baseline, anchor: anchor, role: .axis)))
    }
    return placed.sorted { $0.index < $1.index }.map(\.text)
  }

  /// Returns the labels of every n-th edge, with the smallest n at which they fit.
  private func edges(at y: Double, pageWidth: Double) -> [ChartText] {
    let width = 100 / Double(bins.count)
    let widest = bins.map { ChartDrawing.width(of: $0.edge) }.max() ?? 0
    let every = max(1, Int(((widest + Self.edgeSpacing) / (width / 100 * pageWidth)).rounded(.up)))
    return bins.indices.filter { $0 % every == 0 }.map { index in
      ChartText(text: bins[index].edge, x: width * Double(index), y: y, role: .axis)
    }
  }
}
