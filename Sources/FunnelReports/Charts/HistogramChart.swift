/// Columns of counts side by side. All are equally wide, so that their areas are as their counts.
struct HistogramChart {
  struct Bin: Equatable {
    /// The lower edge, as a text.
    let edge: String
    /// The whole bin, as a text.
    let name: String
    let count: Int
  }

  let bins: [Bin]
  /// The count of the tallest possible column; nil is the largest count of the bins.
  var top: Double?
  /// The height of the tallest possible column, in pixels.
  var plotHeight = 130.0
}

extension HistogramChart {
  private static let top = 18.0
  private static let axisHeight = 20.0
  /// The distance of a count from its column, and its height, in pixels.
  private static let (countGap, countHeight) = (4.0, 13.0)

  /// The marks: a column for each bin with its count above it where there is room, the tallest first, and the edges below.
  var drawing: ChartDrawing {
    let base = Self.top + plotHeight
    var drawing = ChartDrawing(height: base + Self.axisHeight)
    let largest = Double(bins.map(\.count).max() ?? 0)
    guard largest > 0 else { return drawing }
    let tallest = max(top ?? largest, largest)
    let width = 100 / Double(bins.count)
    for (index, bin) in bins.enumerated() {
      let (x, height) = (width * Double(index), plotHeight * Double(bin.count) / tallest)
      if bin.count > 0 {
        drawing.marks.append(
          .area(
            x: x + width * 0.04, width: width * 0.92, y: base - height, height: height, ink: .good,
            tip: "\(bin.name): \(HumanNumbers.count(bin.count))"))
      }
    }
    drawing.marks += ChartDrawing.texts { counts(above: base, tallest: tallest, pageWidth: $0) }
    drawing.marks += ChartDrawing.texts { edges(at: base + 15, pageWidth: $0) }
    drawing.marks.append(.line(x1: 0, y1: base, x2: 100, y2: base, stroke: .base))
    return drawing
  }

  /// Returns the counts of as many columns as have room, the tallest first. A count may be wider than its column: it only must not cover
  /// another count, nor lie across a column beside its own.
  private func counts(above base: Double, tallest: Double, pageWidth: Double) -> [ChartText] {
    let columnWidth = pageWidth / Double(bins.count)
    func top(_ bin: Bin) -> Double { base - plotHeight * Double(bin.count) / tallest }
    var placed: [(index: Int, left: Double, right: Double, baseline: Double, text: ChartText)] = []
    for index in bins.indices.sorted(by: { (-bins[$0].count, $0) < (-bins[$1].count, $1) }) where bins[index].count > 0 {
      let (count, baseline) = (HumanNumbers.count(bins[index].count), top(bins[index]) - Self.countGap)
      let (middle, half) = ((Double(index) + 0.5) * columnWidth, ChartDrawing.width(of: count) / 2)
      // At the ends of the chart it begins or ends with the chart.
      let anchor: ChartText.Anchor = middle < half ? .start : pageWidth - middle < half ? .end : .middle
      let left = anchor == .start ? 0 : anchor == .end ? pageWidth - 2 * half : middle - half
      let right = left + 2 * half
      let coversCount = placed.contains {
        left < $0.right && $0.left < right && abs($0.baseline - baseline) < Self.countHeight
      }
      let coversColumn = bins.indices.contains { other in
        let start = Double(other) * columnWidth
        return other != index && left < start + columnWidth && start < right && top(bins[other]) < baseline
      }
      guard !coversCount, !coversColumn else { continue }
      let x = anchor == .start ? 0 : anchor == .end ? 100 : (Double(index) + 0.5) * 100 / Double(bins.count)
      placed.append((index, left, right, baseline, ChartText(text: count, x: x, y: baseline, anchor: anchor, role: .axis)))
    }
    return placed.sorted { $0.index < $1.index }.map(\.text)
  }

  /// Returns the names of as many edges as have room.
  private func edges(at y: Double, pageWidth: Double) -> [ChartText] {
    let width = 100 / Double(bins.count)
    let widest = bins.map { ChartDrawing.width(of: $0.edge) }.max() ?? 0
    let every = max(1, Int(((widest + 8) / (width / 100 * pageWidth)).rounded(.up)))
    return bins.indices.filter { $0 % every == 0 }.map { index in
      ChartText(text: bins[index].edge, x: width * Double(index), y: y, role: .axis)
    }
  }
}
