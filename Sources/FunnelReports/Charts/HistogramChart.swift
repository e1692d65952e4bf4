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
  /// The height of the tallest possible column, in pixels.
  var plotHeight = 130.0
}

extension HistogramChart {
  private static let top = 18.0
  private static let axisHeight = 20.0

  /// The marks: a column for each bin with its count above it where there is room, and the edges below.
  var drawing: ChartDrawing {
    let base = Self.top + plotHeight
    var drawing = ChartDrawing(height: base + Self.axisHeight)
    let tallest = Double(bins.map(\.count).max() ?? 0)
    guard tallest > 0 else { return drawing }
    let width = 100 / Double(bins.count)
    for (index, bin) in bins.enumerated() {
      let (x, height) = (width * Double(index), plotHeight * Double(bin.count) / tallest)
      if bin.count > 0 {
        drawing.marks.append(
          .area(
            x: x + width * 0.04, width: width * 0.92, y: base - height, height: height, ink: .good,
            tip: "\(bin.name): \(HumanNumbers.count(bin.count))"))
        let count = HumanNumbers.count(bin.count)
        drawing.marks += ChartDrawing.texts { pageWidth in
          ChartDrawing.fits(count, percent: width, of: pageWidth)
            ? [ChartText(text: count, x: x + width / 2, y: base - height - 4, anchor: .middle, role: .axis)] : []
        }
      }
    }
    drawing.marks += ChartDrawing.texts { edges(at: base + 15, pageWidth: $0) }
    drawing.marks.append(.line(x1: 0, y1: base, x2: 100, y2: base, stroke: .base))
    return drawing
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
