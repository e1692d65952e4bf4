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
  /// The width in pixels that the period of a value leaves to a name.
  private static let nameWidthMin = 60.0

  /// The marks: the grid, the lines, and the names with their last firm values.
  var drawing: ChartDrawing {
    var drawing = ChartDrawing(height: plot.height, marks: plot.frame)
    for line in lines.sorted(by: { $0.ink == .otherSegments && $1.ink != .otherSegments }) {
      drawing.marks += marks(of: line)
    }
    for name in names {
      drawing.marks.append(
        .seriesDot(x: plot.width + Self.nameInset, y: name.y, ink: name.line.ink, isHollow: false, tip: name.tip))
      drawing.marks += ChartDrawing.texts { pageWidth in
        let room = Self.namesWidth.pixels(of: pageWidth) - Self.nameInset.pixels(of: pageWidth) - Self.textInset
        return [
          ChartText(
            text: name.text(in: room), x: plot.width + Self.nameInset, y: name.y + Self.nameBaseline, dx: Self.textInset)
        ]
      }
    }
    return drawing
  }

  private func marks(of line: Line) -> [ChartMark] {
    func center(_ index: Int) -> ChartPoint { ChartPoint(x: plot.x(index), y: plot.y(line.points[index].rate!.value)) }
    var marks: [ChartMark] = []
    for range in line.points.ranges(where: \.isFirm) where range.count > 1 {
      marks.append(.seriesLine(range.map(center), ink: line.ink, isOpen: false))
    }
    for range in line.points.dottedRanges where range.count > 1 {
      marks.append(.seriesLine(range.map(center), ink: line.ink, isOpen: true))
    }
    // Dots of many lines would hide them.
    guard line.ink != .otherSegments, line.points.count <= SeriesChart.dotsMax / 2 else { return marks }
    return marks
      + line.points.indices.compactMap { index in
        line.points[index].tip.map { tip in
          .seriesDot(
            x: center(index).x, y: center(index).y, ink: line.ink, isHollow: !line.points[index].isFirm,
            tip: "\(line.name), \(tip)")
        }
      }
  }

  /// The name of a line with one of its values.
  private struct Name {
    let line: Line
    let value: String
    /// The period of the value, or `nil` if it is the last point of the line.
    let period: String?
    /// The value in words.
    let tip: String?
    /// The position of the middle, in pixels from the top.
    var y: Double

    /// Returns the name, shortened to a width in pixels, with the value, and with its period where both have room.
    func text(in room: Double) -> String {
      if let period {
        let end = " \(value), \(period)"
        let left = room - ChartDrawing.width(of: end)
        if left >= min(LinesChart.nameWidthMin, ChartDrawing.width(of: line.name)) {
          return ChartDrawing.fitted(line.name, to: left) + end
        }
      }
      return ChartDrawing.fitted(line.name, to: room - ChartDrawing.width(of: " \(value)")) + " \(value)"
    }
  }

  /// The named lines, each with the value of its last firm point, at heights at which they do not overlap.
  private var names: [Name] {
    var names = lines.compactMap { line -> Name? in
      guard line.ink != .otherSegments, let index = line.points.namedIndex, let rate = line.points[index].rate else {
        return nil
      }
      let point = line.points[index]
      let isLast = index == line.points.lastIndex { $0.rate != nil }
      return Name(
        line: line, value: HumanNumbers.percent(rate.value) + rate.fewMark, period: isLast ? nil : point.axisName,
        tip: point.tip.map { "\(line.name), \($0)" }, y: plot.y(rate.value))
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
