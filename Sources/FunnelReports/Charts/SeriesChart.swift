import FunnelProjections

/// A rate over time, with the band of its 95 % intervals.
struct SeriesChart {
  struct Point {
    let name: String
    /// Nil where nothing was counted.
    let rate: Rate?
    /// Whether the rate can still change.
    let isOpen: Bool
  }

  let points: [Point]
  /// The share at the upper end of the axis.
  let top: Double

  /// - Parameter top: The share at the upper end of the axis, for charts that are compared; nil takes that of the points.
  init(points: [Point], top: Double? = nil) {
    self.points = points
    self.top = top ?? Self.top(of: points.map(\.rate))
  }

  /// Returns the upper end of an axis that has room for some rates with their intervals.
  static func top(of rates: [Rate?]) -> Double { ChartScale.shareTop(rates.compactMap { $0?.high }.max() ?? 1) }
}

extension SeriesChart {
  private static let plotTop = 16.0
  private static let plotHeight = 150.0
  private static let axisHeight = 22.0
  /// The number of points up to which each has a dot; more would hide the line.
  private static let dotsMax = 62
  /// The width in pixels that an asterisk needs.
  private static let markWidth = 8.0

  /// The marks: the band and the line of what is closed, dots and a dotted line of what is open, and a grid of shares.
  var drawing: ChartDrawing {
    var drawing = ChartDrawing(height: Self.plotTop + Self.plotHeight + Self.axisHeight)
    drawing.marks += grid
    for run in runs(where: { !$0.isOpen }) {
      let upper = run.map { ChartPoint(x: x($0), y: y(points[$0].rate!.high)) }
      let lower = run.map { ChartPoint(x: x($0), y: y(points[$0].rate!.low)) }
      if run.count > 1 {
        drawing.marks += [.band(upper + lower.reversed()), .path(run.map(center), stroke: .curve)]
      } else {
        drawing.marks.append(.line(x1: upper[0].x, y1: upper[0].y, x2: lower[0].x, y2: lower[0].y, stroke: .interval))
      }
    }
    // The dotted line begins at the last closed point before it.
    for run in runs(where: \.isOpen) {
      let start = run.lowerBound > 0 && points[run.lowerBound - 1].rate != nil ? run.lowerBound - 1 : run.lowerBound
      let line = (start..<run.upperBound).map(center)
      if line.count > 1 { drawing.marks.append(.path(line, stroke: .dotted)) }
    }
    if points.count <= Self.dotsMax { drawing.marks += dots }
    drawing.marks += ChartDrawing.texts { names(pageWidth: $0) } + ChartDrawing.texts { marksOfFew(pageWidth: $0) } + ends
    return drawing
  }

  private func x(_ index: Int) -> Double { (Double(index) + 0.5) / Double(points.count) * 100 }
  private func y(_ share: Double) -> Double { Self.plotTop + Self.plotHeight * (1 - share / top) }
  private func center(_ index: Int) -> ChartPoint { ChartPoint(x: x(index), y: y(points[index].rate!.value)) }

  /// Returns the longest ranges of points that have a rate and satisfy a condition.
  private func runs(where isIncluded: (Point) -> Bool) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for (index, point) in points.enumerated() where point.rate != nil && isIncluded(point) {
      if let last = runs.last, last.upperBound == index {
        runs[runs.count - 1] = last.lowerBound..<index + 1
      } else {
        runs.append(index..<index + 1)
      }
    }
    return runs
  }

  private var grid: [ChartMark] {
    [0, 0.5, 1].flatMap { part -> [ChartMark] in
      let y = y(part * top)
      return [
        .line(x1: 0, y1: y, x2: 100, y2: y, stroke: part == 0 ? .base : .grid),
        .text(ChartText(text: HumanNumbers.percent(part * top), x: 0, y: y + 4, dx: -6, anchor: .end, role: .axis)),
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

  /// Returns the names of as many points as have room.
  private func names(pageWidth: Double) -> [ChartText] {
    let widest = points.map { ChartDrawing.width(of: $0.name) }.max() ?? 0
    // The last one is moved inwards by up to half its width.
    let every = max(1, Int(((1.5 * widest + 8) * Double(points.count) / pageWidth).rounded(.up)))
    return points.indices.filter { $0 % every == 0 }.map { index in
      // A name may reach below the names of the axis, but not beyond the chart.
      let (left, right) = (x(index) / 100 * pageWidth + ChartDrawing.axisWidth, (100 - x(index)) / 100 * pageWidth)
      let anchor: ChartText.Anchor = left < widest / 2 ? .start : right < widest / 2 ? .end : .middle
      let place = anchor == .start ? 0 : anchor == .end ? 100 : x(index)
      return ChartText(
        text: points[index].name, x: place, y: Self.plotTop + Self.plotHeight + 16, anchor: anchor, role: .axis)
    }
  }

  /// Returns an asterisk above the axis for each point of few groups, if all of them have room.
  private func marksOfFew(pageWidth: Double) -> [ChartText] {
    guard Double(points.count) * Self.markWidth <= pageWidth else { return [] }
    return points.indices.filter { isOfFew($0) }.map { index in
      ChartText(text: "*", x: x(index), y: Self.plotTop + Self.plotHeight - 2, anchor: .middle, role: .axis)
    }
  }

  private func isOfFew(_ index: Int) -> Bool { points[index].rate.map { $0.denominator < fewGroupsMax } ?? false }

  /// The value of the last closed point, on the side of it on which the line does not arrive.
  private var ends: [ChartMark] {
    guard let last = points.lastIndex(where: { $0.rate != nil && !$0.isOpen }), let rate = points[last].rate else { return [] }
    let before = last > 0 ? points[last - 1].rate?.value : nil
    let base = Self.plotTop + Self.plotHeight
    let isBelow = before.map { $0 > rate.value } == true && y(rate.value) + 24 < base
    return [
      .text(
        ChartText(
          text: HumanNumbers.percent(rate.value) + (isOfFew(last) ? "*" : ""), x: x(last),
          y: y(rate.value) + (isBelow ? 19 : -9), dx: x(last) > 80 ? 4 : -4, anchor: x(last) > 80 ? .end : .start, role: .value)
      )
    ]
  }
}
