/// The axes of a chart of shares over time: periods from left to right, shares from the bottom to the top, and marked days.
struct TimePlot {
  /// The names of the periods on the axis.
  let names: [String]
  let axis: ShareAxis
  let marks: [TimeMark]
  /// The part of the width that the periods have. The names of lines are at its right.
  var width: Percent = 100

  private static let topMargin = 16.0
  private static let plotHeight = 150.0
  private static let axisHeight = 22.0
  /// The height of the strip between zero and the lower end of a cut axis.
  private static let cutHeight = 18.0
  /// The number of teeth of the line that marks a cut axis, and half their height.
  private static let teethCount = 60
  private static let toothHalfHeight = 2.5
  /// The minimum distance between the names of two periods, in pixels.
  private static let nameSpacing = 8.0
  /// The distance in pixels of an axis label from the plot, and of its baseline from its grid line.
  private static let labelInset = 6.0
  private static let labelBaseline = 4.0
  /// The distance of the baseline of the names from the zero line, in pixels.
  private static let nameBaseline = 16.0
  private static let laneHeight = 16.0
  private static let lanesMax = 3
  /// The distance of the text of a mark from its line, and the width that it may have, in pixels.
  private static let markInset = 4.0
  private static let markWidthMax = 130.0

  /// The position of the upper end of the shares.
  var top: Double { Self.topMargin + Self.laneHeight * Double(laneCount) }
  /// The position of the lower end of the shares.
  var bottom: Double { top + Self.plotHeight }
  /// The position of zero.
  var base: Double { bottom + (axis.isCut ? Self.cutHeight : 0) }
  var height: Double { base + Self.axisHeight }

  func x(_ index: Int) -> Percent { x(at: Double(index) + 0.5) }
  func y(_ share: Double) -> Double {
    let part = (share - axis.bottom) / (axis.top - axis.bottom)
    return top + Self.plotHeight * (1 - min(max(part, 0), 1))
  }

  /// Returns a horizontal position, given in periods from the left.
  private func x(at position: Double) -> Percent { width * (position / Double(max(names.count, 1))) }

  /// The grid with its labels, the line that marks a cut axis, the marked days and the names of the periods.
  var frame: [ChartMark] {
    var marks = axis.ticks.flatMap { share in gridLine(share, at: y(share), isBase: share == 0) }
    if axis.isCut { marks += gridLine(0, at: base, isBase: true) + [.path(teeth, stroke: .cut)] }
    for mark in self.marks {
      let x = x(at: mark.position)
      marks.append(.line(x1: x, y1: Self.topMargin, x2: x, y2: base, stroke: .mark))
    }
    return marks + ChartDrawing.texts { markTexts(pageWidth: $0) } + ChartDrawing.texts { nameTexts(pageWidth: $0) }
  }

  private func gridLine(_ share: Double, at y: Double, isBase: Bool) -> [ChartMark] {
    [
      .line(x1: 0, y1: y, x2: width, y2: y, stroke: isBase ? .base : .grid),
      .text(
        ChartText(
          text: HumanNumbers.percent(share), x: 0, y: y + Self.labelBaseline, dx: -Self.labelInset, anchor: .end, role: .axis)),
    ]
  }

  private var teeth: [ChartPoint] {
    let middle = (bottom + base) / 2
    return (0...Self.teethCount).map { tooth in
      ChartPoint(
        x: width * (Double(tooth) / Double(Self.teethCount)),
        y: middle + (tooth % 2 == 0 ? Self.toothHalfHeight : -Self.toothHalfHeight))
    }
  }

  /// Returns the names of every n-th period, with the smallest n at which they fit.
  private func nameTexts(pageWidth: Double) -> [ChartText] {
    let widest = names.map { ChartDrawing.width(of: $0) }.max() ?? 0
    // The last name may be moved inwards by up to half its width.
    let room = width.pixels(of: pageWidth)
    let every = max(1, Int(((1.5 * widest + Self.nameSpacing) * Double(names.count) / room).rounded(.up)))
    return names.indices.filter { $0 % every == 0 }.map { index in
      // A name may extend below the labels of the axis, but not beyond the chart.
      let left = x(index).pixels(of: pageWidth) + ChartDrawing.axisWidth
      let right = (100 - x(index)).pixels(of: pageWidth)
      let position = ChartText.inside(x: x(index), left: left, right: right, half: widest / 2)
      return ChartText(
        text: names[index], x: position.x, y: base + Self.nameBaseline, anchor: position.anchor, role: .axis)
    }
  }

  // MARK: - Marked days

  /// The number of lines of text above the plot.
  private var laneCount: Int {
    [ChartDrawing.widthMin, ChartDrawing.widthOfWidePage].map { lanes(pageWidth: $0).map { $0.lane + 1 }.max() ?? 0 }.max() ?? 0
  }

  /// Returns the marks whose text has room, each with its line above the plot and whether its text is left of it.
  private func lanes(pageWidth: Double) -> [(mark: TimeMark, text: String, lane: Int, isLeft: Bool)] {
    var ends = Array(repeating: -Double.infinity, count: Self.lanesMax)
    return marks.sorted { $0.position < $1.position }.compactMap { mark in
      let text = ChartDrawing.fitted(mark.text, to: Self.markWidthMax)
      let length = ChartDrawing.width(of: text) + Self.markInset
      let x = x(at: mark.position).pixels(of: pageWidth)
      let isLeft = x + length > pageWidth
      let start = isLeft ? x - length : x
      guard let lane = ends.firstIndex(where: { $0 + Self.nameSpacing <= start }) else { return nil }
      ends[lane] = start + length
      return (mark, text, lane, isLeft)
    }
  }

  private func markTexts(pageWidth: Double) -> [ChartText] {
    lanes(pageWidth: pageWidth).map { entry in
      ChartText(
        text: entry.text, x: x(at: entry.mark.position), y: Self.topMargin + Self.laneHeight * Double(entry.lane) + 4,
        dx: entry.isLeft ? -Self.markInset : Self.markInset, anchor: entry.isLeft ? .end : .start, role: .axis)
    }
  }
}

/// A marked day of a chart over time.
package struct TimeMark: Equatable {
  /// The position in periods from the left: 0.5 is the middle of the first period.
  let position: Double
  let text: String

  package init(position: Double, text: String) {
    precondition(position >= 0, "a mark is in the chart")
    self.position = position
    self.text = text
  }
}
