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
  var top: Double { ChartScale.shareTop(points.compactMap { $0.rate?.high }.max() ?? 1) }
}

extension SeriesChart {
  private static let plotTop = 16.0
  private static let plotHeight = 150.0
  private static let axisHeight = 22.0
  /// The number of points up to which each has a dot; more would hide the line.
  private static let dotsMax = 62

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
    drawing.marks += names + ends
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
        .text(ChartText(text: HumanNumbers.percent(part * top), x: 0, y: y - 3, role: .axis)),
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

  /// The names of as many points as have room on the narrowest page.
  private var names: [ChartMark] {
    let widest = points.map { ChartDrawing.width(of: $0.name) }.max() ?? 0
    // The first and the last one are moved inwards by up to half their width.
    let every = max(1, Int(((1.5 * widest + 8) * Double(points.count) / ChartDrawing.widthMin).rounded(.up)))
    return points.indices.filter { $0 % every == 0 }.map { index in
      let half = widest / 2 / ChartDrawing.widthMin * 100
      let anchor: ChartText.Anchor = x(index) < half ? .start : x(index) > 100 - half ? .end : .middle
      let place = anchor == .start ? 0 : anchor == .end ? 100 : x(index)
      return .text(
        ChartText(
          text: points[index].name, x: place, y: Self.plotTop + Self.plotHeight + 16, anchor: anchor, role: .axis))
    }
  }

  /// The value of the last closed point, at its place.
  private var ends: [ChartMark] {
    guard let last = points.lastIndex(where: { $0.rate != nil && !$0.isOpen }), let rate = points[last].rate else { return [] }
    let isNearEnd = x(last) > 80
    // The names of the grid stand at the start.
    let isNearStart = x(last) < 15
    return [
      .text(
        ChartText(
          text: HumanNumbers.percent(rate.value), x: x(last), y: y(rate.value) - 9, dx: isNearEnd ? 4 : isNearStart ? 44 : -4,
          anchor: isNearEnd ? .end : .start, role: .value))
    ]
  }
}
