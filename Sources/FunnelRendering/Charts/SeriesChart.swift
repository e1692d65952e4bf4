package import FunnelModel

/// A line chart of a rate over time, with a band of its 95 % intervals.
package struct SeriesChart {
  /// The rate of one period.
  package struct Point {
    let name: String
    /// The rate, or `nil` if there are no groups.
    let rate: Rate?
    /// Whether the rate can still change.
    let isOpen: Bool

    package init(name: String, rate: Rate?, isOpen: Bool) {
      self.name = name
      self.rate = rate
      self.isOpen = isOpen
    }
  }

  let points: [Point]
  /// The share at the upper end of the axis.
  let top: Double

  /// Creates a chart.
  ///
  /// - Parameter top: The share at the upper end of the axis, for charts that are compared, or `nil` to fit the
  ///   points.
  package init(points: [Point], top: Double? = nil) {
    precondition(top ?? 1 > 0, "the axis has a length")
    self.points = points
    self.top = top ?? Self.top(of: points.map(\.rate))
  }

  /// Returns the upper end of an axis that includes the intervals of some rates.
  package static func top(of rates: [Rate?]) -> Double { ChartScale.shareTop(rates.compactMap { $0?.high }.max() ?? 1) }
}

extension SeriesChart {
  private static let plotTop = 16.0
  private static let plotHeight = 150.0
  private static let axisHeight = 22.0
  /// The maximum number of points with a dot each. More dots would hide the line.
  private static let dotsMax = 62
  /// The width in pixels of an asterisk.
  private static let markWidth = 8.0
  /// The minimum distance between the names of two points, in pixels.
  private static let nameSpacing = 8.0
  /// The distance in pixels of an axis label from the plot, and of its baseline from its grid line.
  private static let labelInset = 6.0
  private static let labelBaseline = 4.0
  /// The distance in pixels of an asterisk from the axis.
  private static let markBaseline = 2.0
  /// The distance of the baseline of the names from the plot, in pixels.
  private static let nameBaseline = 16.0
  /// The offsets of the last value's baseline from its point, in pixels, above and below the line.
  private static let valueAbove = -9.0
  private static let valueBelow = 19.0
  /// The space in pixels that a value below the line needs above the axis.
  private static let valueRoom = 24.0
  /// The horizontal distance of the last value from its point, in pixels.
  private static let valueInset = 4.0
  /// The position beyond which the last value is left of its point.
  private static let valueTurn: Percent = 80

  /// The marks: a band and a line for closed periods, a dotted line for open ones, dots, and a grid.
  var drawing: ChartDrawing {
    var drawing = ChartDrawing(height: Self.plotTop + Self.plotHeight + Self.axisHeight)
    drawing.marks += grid
    for range in ranges(where: { !$0.isOpen }) {
      let upper = range.map { ChartPoint(x: x($0), y: y(points[$0].rate!.high)) }
      let lower = range.map { ChartPoint(x: x($0), y: y(points[$0].rate!.low)) }
      if range.count > 1 {
        drawing.marks += [.band(upper + lower.reversed()), .path(range.map(center), stroke: .curve)]
      } else {
        drawing.marks.append(.line(x1: upper[0].x, y1: upper[0].y, x2: lower[0].x, y2: lower[0].y, stroke: .interval))
      }
    }
    // The dotted line begins at the last closed point before it.
    for range in ranges(where: \.isOpen) {
      let start = range.lowerBound > 0 && points[range.lowerBound - 1].rate != nil ? range.lowerBound - 1 : range.lowerBound
      let line = (start..<range.upperBound).map(center)
      if line.count > 1 { drawing.marks.append(.path(line, stroke: .dotted)) }
    }
    if points.count <= Self.dotsMax { drawing.marks += dots }
    drawing.marks += ChartDrawing.texts { names(pageWidth: $0) } + ChartDrawing.texts { marksOfFew(pageWidth: $0) } + ends
    return drawing
  }

  private func x(_ index: Int) -> Percent { Percent((Double(index) + 0.5) / Double(points.count) * 100) }
  private func y(_ share: Double) -> Double { Self.plotTop + Self.plotHeight * (1 - share / top) }
  /// Returns the position of a point, which must have a rate.
  private func center(_ index: Int) -> ChartPoint { ChartPoint(x: x(index), y: y(points[index].rate!.value)) }

  /// Returns the maximal ranges of consecutive points that have a rate and satisfy a condition.
  private func ranges(where isIncluded: (Point) -> Bool) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    for (index, point) in points.enumerated() where point.rate != nil && isIncluded(point) {
      if let last = ranges.last, last.upperBound == index {
        ranges[ranges.count - 1] = last.lowerBound..<index + 1
      } else {
        ranges.append(index..<index + 1)
      }
    }
    return ranges
  }

  private var grid: [ChartMark] {
    [0, 0.5, 1].flatMap { part -> [ChartMark] in
      let y = y(part * top)
      return [
        .line(x1: 0, y1: y, x2: 100, y2: y, stroke: part == 0 ? .base : .grid),
        .text(
          ChartText(
            text: HumanNumbers.percent(part * top), x: 0, y: y + Self.labelBaseline, dx: -Self.labelInset, anchor: .end,
            role: .axis)),
      ]
    }
  }

  private var dots: [ChartMark] {
    points.indices.compactMap { index in
      guard let rate = points[index].rate else { return nil }
      let (low, high) = HumanNumbers.interval(rate)
      let tip =
        "\(points[index].name): \(HumanNumbers.percent(rate.value)) of \(HumanNumbers.count(rate.denominator))"
        + ", 95 % interval \(low)–\(high) %" + (points[index].isOpen ? ", open" : "")
      let center = center(index)
      return .dot(x: center.x, y: center.y, isOpen: points[index].isOpen, tip: tip)
    }
  }

  /// Returns the names of every n-th point, with the smallest n at which they fit.
  private func names(pageWidth: Double) -> [ChartText] {
    let widest = points.map { ChartDrawing.width(of: $0.name) }.max() ?? 0
    // The last name may be moved inwards by up to half its width.
    let every = max(1, Int(((1.5 * widest + Self.nameSpacing) * Double(points.count) / pageWidth).rounded(.up)))
    return points.indices.filter { $0 % every == 0 }.map { index in
      // A name may extend below the labels of the axis, but not beyond the chart.
      let left = x(index).pixels(of: pageWidth) + ChartDrawing.axisWidth
      let right = (100 - x(index)).pixels(of: pageWidth)
      let position = ChartText.inside(x: x(index), left: left, right: right, half: widest / 2)
      return ChartText(
        text: points[index].name, x: position.x, y: Self.plotTop + Self.plotHeight + Self.nameBaseline, anchor: position.anchor,
        role: .axis)
    }
  }

  /// Returns an asterisk above the axis for each point with few groups, if all of them fit.
  private func marksOfFew(pageWidth: Double) -> [ChartText] {
    guard Double(points.count) * Self.markWidth <= pageWidth else { return [] }
    return points.indices.filter { isOfFew($0) }.map { index in
      ChartText(text: "*", x: x(index), y: Self.plotTop + Self.plotHeight - Self.markBaseline, anchor: .middle, role: .axis)
    }
  }

  private func isOfFew(_ index: Int) -> Bool { points[index].rate.map { $0.denominator < fewGroupsMax } ?? false }

  /// The value of the last closed point, above or below the point so that it does not cover the line.
  private var ends: [ChartMark] {
    guard let last = points.lastIndex(where: { $0.rate != nil && !$0.isOpen }), let rate = points[last].rate else { return [] }
    let before = last > 0 ? points[last - 1].rate?.value : nil
    let base = Self.plotTop + Self.plotHeight
    let isBelow = before.map { $0 > rate.value } == true && y(rate.value) + Self.valueRoom < base
    let isAtEnd = x(last) > Self.valueTurn
    return [
      .text(
        ChartText(
          text: HumanNumbers.percent(rate.value) + (isOfFew(last) ? "*" : ""), x: x(last),
          y: y(rate.value) + (isBelow ? Self.valueBelow : Self.valueAbove),
          dx: isAtEnd ? Self.valueInset : -Self.valueInset, anchor: isAtEnd ? .end : .start, role: .value)
      )
    ]
  }
}
