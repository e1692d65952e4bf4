import FunnelModel

/// A line chart of the rates of several segments over time, each with its name at its end.
package struct LinesChart {
  /// The rates of one segment.
  package struct Line {
    let name: String
    let ink: ChartInk
    /// A rate for each period. All lines have the same periods.
    let points: [SeriesChart.Point]

    package init(name: String, ink: ChartInk, points: [SeriesChart.Point]) {
      self.name = name
      self.ink = ink
      self.points = points
    }

    /// The index of the last closed point with a rate, or of the last open one, or `nil` without a rate.
    fileprivate var lastIndex: Int? {
      points.lastIndex { $0.rate != nil && !$0.isOpen } ?? points.lastIndex { $0.rate != nil }
    }
  }

  let lines: [Line]
  let plot: TimePlot

  /// Creates a chart. Lines of ``ChartInk/otherSegments`` are drawn below all others and have no name.
  ///
  /// - Parameter marks: The marked days.
  package init(lines: [Line], axis: ShareAxis, marks: [TimeMark] = []) {
    precondition(Set(lines.map(\.points.count)).count <= 1, "all lines have the same periods")
    self.lines = lines
    plot = TimePlot(
      names: lines.first?.points.map(\.axisName) ?? [], axis: axis, marks: marks, width: 100 - Self.namesWidth)
  }
}

extension LinesChart {
  /// The width of the names, in percent.
  private static let namesWidth: Percent = 30
  /// The distance between two names, and of a baseline from the middle of its name, in pixels.
  private static let nameHeight = 15.0
  private static let nameBaseline = 4.5
  /// The distance of a name from the plot, and of its text from its dot, in percent and in pixels.
  private static let nameInset: Percent = 2
  private static let textInset = 8.0

  /// The marks: the grid, the lines, and the names with their last values.
  var drawing: ChartDrawing {
    var drawing = ChartDrawing(height: plot.height, marks: plot.frame)
    for line in lines.sorted(by: { $0.ink == .otherSegments && $1.ink != .otherSegments }) {
      drawing.marks += marks(of: line)
    }
    for name in names {
      drawing.marks.append(
        .seriesDot(x: plot.width + Self.nameInset, y: name.y, ink: name.line.ink, tip: nil))
      drawing.marks += ChartDrawing.texts { pageWidth in
        let room = Self.namesWidth.pixels(of: pageWidth) - Self.nameInset.pixels(of: pageWidth) - Self.textInset
        let short = ChartDrawing.fitted(name.line.name, to: room - ChartDrawing.width(of: " \(name.value)"))
        return [
          ChartText(
            text: "\(short) \(name.value)", x: plot.width + Self.nameInset, y: name.y + Self.nameBaseline,
            dx: Self.textInset)
        ]
      }
    }
    return drawing
  }

  private func marks(of line: Line) -> [ChartMark] {
    func center(_ index: Int) -> ChartPoint { ChartPoint(x: plot.x(index), y: plot.y(line.points[index].rate!.value)) }
    var marks: [ChartMark] = []
    for range in line.points.ranges(where: { !$0.isOpen }) where range.count > 1 {
      marks.append(.seriesLine(range.map(center), ink: line.ink, isOpen: false))
    }
    for range in line.points.openRanges where range.count > 1 {
      marks.append(.seriesLine(range.map(center), ink: line.ink, isOpen: true))
    }
    // Dots of many lines would hide them.
    guard line.ink != .otherSegments, line.points.count <= SeriesChart.dotsMax / 2 else { return marks }
    return marks
      + line.points.indices.compactMap { index in
        line.points[index].tip.map { tip in
          .seriesDot(x: center(index).x, y: center(index).y, ink: line.ink, tip: "\(line.name), \(tip)")
        }
      }
  }

  /// The named lines with their last values, at heights at which they do not overlap.
  private var names: [(line: Line, value: String, y: Double)] {
    var names = lines.compactMap { line -> (line: Line, value: String, y: Double)? in
      guard line.ink != .otherSegments, let last = line.lastIndex, let rate = line.points[last].rate else { return nil }
      return (line, HumanNumbers.percent(rate.value) + (line.points[last].isOfFew ? "*" : ""), plot.y(rate.value))
    }
    names.sort { $0.y < $1.y }
    for index in names.indices.dropFirst() { names[index].y = max(names[index].y, names[index - 1].y + Self.nameHeight) }
    // Names that were pushed below the plot move up together.
    var limit = plot.base
    for index in names.indices.reversed() {
      names[index].y = min(names[index].y, limit)
      limit = names[index].y - Self.nameHeight
    }
    return names
  }
}
