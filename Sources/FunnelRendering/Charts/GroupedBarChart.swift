package import FunnelModel

/// A chart with a heading for each of several groups, such as the steps of a flow, and below it a bar for each segment.
///
/// Each bar has its segment at its left and its number at its right, so the chart has no legend. A segment has the same
/// ink in each group.
package struct GroupedBarChart {
  /// One bar.
  package struct Bar {
    /// The name of the segment.
    let label: String
    /// The segment, for the link to its people.
    let segment: [PropertyValue]
    let ink: ChartInk
    /// The length, in the unit of ``GroupedBarChart/top``, or `nil` for no bar.
    let length: Double?
    /// The number of the bar.
    let value: String
    /// A further number, which only wide pages have room for, or an empty text.
    let detail: String
    /// The 95 % interval of the length, or `nil` for none.
    let interval: ClosedRange<Double>?
    /// The people that the bar counts, with their number, or `nil` if there is no list of them.
    let people: (state: PeopleState, count: String)?

    package init(
      label: String, segment: [PropertyValue], ink: ChartInk, length: Double?, value: String, detail: String = "",
      interval: ClosedRange<Double>? = nil, people: (state: PeopleState, count: String)? = nil
    ) {
      self.label = label
      self.segment = segment
      self.ink = ink
      self.length = length
      self.value = value
      self.detail = detail
      self.interval = interval
      self.people = people
    }
  }

  /// The bars of one step or permission.
  package struct Group {
    let label: String
    let bars: [Bar]

    package init(label: String, bars: [Bar]) {
      self.label = label
      self.bars = bars
    }
  }

  let groups: [Group]
  /// The length that fills the width.
  let top: Double

  package init(groups: [Group], top: Double = 1) {
    precondition(top > 0, "a full bar has a length")
    self.groups = groups
    self.top = top
  }
}

extension GroupedBarChart {
  private static let headingHeight = 22.0
  private static let headingBaseline = 14.0
  private static let rowHeight = 18.0
  private static let barHeight = 12.0
  /// The distance of a bar from the upper edge of its row.
  private static let barTop = 3.0
  /// The distance of the baseline of a row's texts from its upper edge.
  private static let textBaseline = 13.0
  /// The space below each group.
  private static let gap = 12.0
  /// The space below the last bar for the caps of its interval.
  private static let bottomMargin = 2.0
  /// The space between the names of the segments and the bars, in pixels.
  private static let labelSpacing = 8.0
  /// The least and the largest width of the names, in percent.
  private static let labelsMin: Percent = 8
  private static let labelsMax: Percent = 42
  /// The width of the numbers on a narrow page, in percent.
  private static let valuesWidth: Percent = 20
  /// Half the height of the caps of an interval.
  private static let capHalfHeight = 4.0

  /// The position of the left ends of the bars: right of the longest name that a narrow page has room for.
  private var start: Percent {
    let widest = groups.flatMap(\.bars).map { ChartDrawing.width(of: $0.label) }.max() ?? 0
    return min(max(Percent((widest + Self.labelSpacing) / ChartDrawing.widthMin * 100), Self.labelsMin), Self.labelsMax)
  }

  /// The marks: for each group its heading, and for each bar its name, its area and its number, one below the other.
  var drawing: ChartDrawing {
    let start = start
    var drawing = ChartDrawing(height: 0)
    for group in groups where !group.bars.isEmpty {
      let top = drawing.height
      drawing.marks += ChartDrawing.texts { pageWidth in
        [
          ChartText(
            text: ChartDrawing.fitted(group.label, to: pageWidth), x: 0, y: top + Self.headingBaseline, role: .heading)
        ]
      }
      for (index, bar) in group.bars.enumerated() {
        draw(bar, of: group, from: start, top: top + Self.headingHeight + Self.rowHeight * Double(index), into: &drawing)
      }
      drawing.height = top + Self.headingHeight + Self.rowHeight * Double(group.bars.count) + Self.gap
    }
    drawing.height = max(drawing.height - Self.gap + Self.bottomMargin, 0)
    return drawing
  }

  private func draw(_ bar: Bar, of group: Group, from start: Percent, top: Double, into drawing: inout ChartDrawing) {
    let room = 100 - Self.valuesWidth - start
    func x(_ length: Double) -> Percent { start + room * min(max(length / self.top, 0), 1) }
    let y = top + Self.barTop
    drawing.marks += ChartDrawing.texts { texts(of: bar, from: start, baseline: top + Self.textBaseline, pageWidth: $0) }
    drawing.marks.append(
      .line(x1: start, y1: y + Self.barHeight, x2: start + room, y2: y + Self.barHeight, stroke: .grid))
    guard let length = bar.length else { return }
    if length > 0 {
      let link = bar.people.map { ChartLink(state: $0.state, segment: bar.segment) }
      let number = bar.people.map(\.count) ?? [bar.value, bar.detail].filter { !$0.isEmpty }.joined(separator: " · ")
      drawing.marks.append(
        .area(
          x: start, width: x(length) - start, y: y, height: Self.barHeight, ink: bar.ink,
          tip: "\(group.label), \(bar.label): \(number)", link: link))
    }
    guard let interval = bar.interval else { return }
    let (low, high) = (x(interval.lowerBound), x(interval.upperBound))
    let middle = y + Self.barHeight / 2
    drawing.marks += [
      .line(x1: low, y1: middle, x2: high, y2: middle, stroke: .interval),
      .line(x1: low, y1: middle - Self.capHalfHeight, x2: low, y2: middle + Self.capHalfHeight, stroke: .interval),
      .line(x1: high, y1: middle - Self.capHalfHeight, x2: high, y2: middle + Self.capHalfHeight, stroke: .interval),
    ]
  }

  private func texts(of bar: Bar, from start: Percent, baseline: Double, pageWidth: Double) -> [ChartText] {
    let full = [bar.value, bar.detail].filter { !$0.isEmpty }.joined(separator: " · ")
    let value = ChartDrawing.fits(full, in: Self.valuesWidth, of: pageWidth) ? full : bar.value
    let room = start.pixels(of: pageWidth) - Self.labelSpacing
    return [
      ChartText(text: ChartDrawing.fitted(bar.label, to: room), x: 0, y: baseline),
      ChartText(text: value, x: 100, y: baseline, anchor: .end, role: .value),
    ]
  }
}
