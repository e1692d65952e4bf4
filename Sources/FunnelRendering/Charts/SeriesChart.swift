package import FunnelModel

/// A line chart of a rate over time, with a band of its 95 % intervals.
package struct SeriesChart {
  /// The rate of one period.
  package struct Point {
    let name: String
    /// The name on the axis.
    let axisName: String
    /// The rate, or `nil` if there are no groups.
    let rate: Rate?
    /// Whether the rate can still change.
    let isOpen: Bool

    package init(name: String, axisName: String? = nil, rate: Rate?, isOpen: Bool) {
      self.name = name
      self.axisName = axisName ?? name
      self.rate = rate
      self.isOpen = isOpen
    }

    /// Whether the point has a rate that can't change and is not of few groups.
    var isFirm: Bool { !isOpen && rate.map { !$0.isOfFew } ?? false }

    /// The numbers of the point in words, or `nil` if it has none.
    var tip: String? {
      guard let rate else { return nil }
      let (low, high) = HumanNumbers.interval(rate)
      return "\(name): \(HumanNumbers.percent(rate.value))\(rate.fewMark) of \(HumanNumbers.count(rate.denominator))"
        + ", 95 % interval \(low)–\(high) %" + (isOpen ? ", open" : "")
    }
  }

  let points: [Point]
  let plot: TimePlot

  /// Creates a chart whose vertical axis fits the points.
  ///
  /// - Parameter marks: The marked days.
  package init(points: [Point], marks: [TimeMark] = []) {
    self.points = points
    plot = TimePlot(names: points.map(\.axisName), axis: ShareAxis(fitting: points.map(\.rate)), marks: marks)
  }
}

extension SeriesChart {
  /// The maximum number of points with a dot each. More dots would hide the line.
  static let dotsMax = 62
  /// The width in pixels of an asterisk.
  private static let markWidth = 8.0
  /// The distance in pixels of an asterisk from the axis.
  private static let markBaseline = 2.0
  /// The offsets of the last value's baseline from its point, in pixels, above and below the line.
  private static let valueAbove = -9.0
  private static let valueBelow = 19.0
  /// The space in pixels that a value below the line needs above the axis.
  private static let valueRoom = 24.0
  /// The horizontal distance of the last value from its point, in pixels.
  private static let valueInset = 4.0
  /// The position beyond which the last value is left of its point.
  private static let valueTurn: Percent = 80

  /// The marks: a band for closed periods, a line for firm points, a dotted line to all others, dots, and a grid.
  var drawing: ChartDrawing {
    var drawing = ChartDrawing(height: plot.height)
    drawing.marks += plot.frame
    for range in points.ranges(where: { !$0.isOpen }) {
      let upper = range.map { ChartPoint(x: plot.x($0), y: plot.y(points[$0].rate!.high)) }
      let lower = range.map { ChartPoint(x: plot.x($0), y: plot.y(points[$0].rate!.low)) }
      if range.count > 1 {
        drawing.marks.append(.band(upper + lower.reversed()))
      } else {
        drawing.marks.append(.line(x1: upper[0].x, y1: upper[0].y, x2: lower[0].x, y2: lower[0].y, stroke: .interval))
      }
    }
    for range in points.ranges(where: \.isFirm) where range.count > 1 {
      drawing.marks.append(.path(range.map(center), stroke: .curve))
    }
    for line in points.dottedRanges.map({ $0.map(center) }) where line.count > 1 {
      drawing.marks.append(.path(line, stroke: .dotted))
    }
    if points.count <= Self.dotsMax { drawing.marks += dots }
    drawing.marks += ChartDrawing.texts { marksOfFew(pageWidth: $0) } + ends
    return drawing
  }

  /// Returns the position of a point, which must have a rate.
  private func center(_ index: Int) -> ChartPoint {
    ChartPoint(x: plot.x(index), y: plot.y(points[index].rate!.value))
  }

  private var dots: [ChartMark] {
    points.indices.compactMap { index in
      points[index].tip.map { tip in
        .dot(x: center(index).x, y: center(index).y, isOpen: !points[index].isFirm, tip: tip)
      }
    }
  }

  /// Returns an asterisk above the axis for each point with few groups, if all of them fit.
  private func marksOfFew(pageWidth: Double) -> [ChartText] {
    guard Double(points.count) * Self.markWidth <= pageWidth else { return [] }
    return points.indices.filter { points[$0].rate?.isOfFew == true }.map { index in
      ChartText(text: "*", x: plot.x(index), y: plot.base - Self.markBaseline, anchor: .middle, role: .axis)
    }
  }

  /// The value of the last firm point, above or below the point so that it does not cover the line.
  private var ends: [ChartMark] {
    guard let last = points.namedIndex, !points[last].isOpen, let rate = points[last].rate else { return [] }
    let before = last > 0 ? points[last - 1].rate?.value : nil
    let y = plot.y(rate.value)
    let isBelow = before.map { $0 > rate.value } == true && y + Self.valueRoom < plot.base
    let isAtEnd = plot.x(last) > Self.valueTurn
    return [
      .text(
        ChartText(
          text: HumanNumbers.percent(rate.value) + rate.fewMark, x: plot.x(last),
          y: y + (isBelow ? Self.valueBelow : Self.valueAbove),
          dx: isAtEnd ? Self.valueInset : -Self.valueInset, anchor: isAtEnd ? .end : .start, role: .value)
      )
    ]
  }
}

extension [SeriesChart.Point] {
  /// Returns the maximal ranges of consecutive points that have a rate and satisfy a condition.
  func ranges(where isIncluded: (SeriesChart.Point) -> Bool) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    for (index, point) in enumerated() where point.rate != nil && isIncluded(point) {
      if let last = ranges.last, last.upperBound == index {
        ranges[ranges.count - 1] = last.lowerBound..<index + 1
      } else {
        ranges.append(index..<index + 1)
      }
    }
    return ranges
  }

  /// The ranges of points that are not firm. Each includes the points before and after it, so that the lines meet.
  var dottedRanges: [Range<Int>] {
    ranges { !$0.isFirm }.map { range in
      let start = range.lowerBound > 0 && self[range.lowerBound - 1].rate != nil ? range.lowerBound - 1 : range.lowerBound
      let end = range.upperBound < count && self[range.upperBound].rate != nil ? range.upperBound + 1 : range.upperBound
      return start..<end
    }
  }

  /// The index of the point whose value is written: the last firm one, else the last closed one, else the last one with a
  /// rate. `nil` without a rate.
  var namedIndex: Int? {
    lastIndex(where: \.isFirm) ?? lastIndex { $0.rate != nil && !$0.isOpen } ?? lastIndex { $0.rate != nil }
  }
}
