/// A chart of the numbers in a table, independent of the output format.
package struct Chart {
  /// The type of a chart, with its data.
  package enum Form {
    case bars(BarChart)
    case grouped(GroupedBarChart)
    case histogram(HistogramChart)
    case series(SeriesChart)
    case lines(LinesChart)
    case forest(ForestPlot)
    case shading(ShadingChart)
    case flow(FlowDiagram)
  }

  /// The title, such as `Reached, by step`.
  let title: Phrase
  /// A description for screen readers, without a full stop.
  let summary: String
  let form: Form

  package init(title: Phrase, summary: String, form: Form) {
    precondition(!summary.isEmpty, "a chart has a description for screen readers")
    self.title = title
    self.summary = summary
    self.form = form
  }

  /// The marks of the chart.
  var drawing: ChartDrawing {
    switch form {
    case .bars(let chart): chart.drawing
    case .grouped(let chart): chart.drawing
    case .histogram(let chart): chart.drawing
    case .series(let chart): chart.drawing
    case .lines(let chart): chart.drawing
    case .forest(let chart): chart.drawing
    case .shading(let chart): chart.drawing
    case .flow(let chart): chart.drawing
    }
  }

  /// Whether the vertical axis has labels at the left of the chart.
  var hasNamedAxis: Bool {
    switch form {
    case .series, .lines: true
    case .bars, .grouped, .histogram, .forest, .shading, .flow: false
    }
  }

  /// The legend: the inks of the chart with their meaning. Empty if it has only one ink.
  var key: [BarChart.Part] {
    guard case .bars(let chart) = form else { return [] }
    let parts = chart.partsInUse.filter { !$0.name.isEmpty }
    return chart.parts.count > 1 ? parts : []
  }
}

/// A semantic color of charts. The stylesheet defines its value for light and for dark pages.
///
/// The hues are the palette for color-blind readers by Okabe and Ito (Color Universal Design, 2008). They are
/// darkened or lightened until texts on them have the contrast of WCAG 2.2, level AA.
package enum ChartInk: String, CaseIterable {
  /// A success: groups that continue, or grants.
  case good
  /// A partial success: limited access, or optional steps.
  case partial
  /// Groups that are lost.
  case loss
  /// A denied permission.
  case refusal
  /// A failure.
  case failure
  /// A detour: a return to an earlier step, or an end outside the flow.
  case detour
  /// Neither a success nor a failure.
  case neutral
  /// Groups whose result can still change. The dashed outline makes it distinct without colors.
  case open
  /// A segment. Each of the largest segments has an ink of its own, the others share ``otherSegments``.
  case segment1, segment2, segment3, segment4, segment5, segment6
  case otherSegments

  private static let ofSegments: [ChartInk] = [.segment1, .segment2, .segment3, .segment4, .segment5, .segment6]
  /// The number of segments with an ink of their own.
  package static let segmentCount = ofSegments.count

  /// Returns the ink of a segment.
  ///
  /// - Parameter rank: The rank of the segment by size, from 0.
  package static func segment(rank: Int) -> ChartInk {
    precondition(rank >= 0, "a rank begins with 0")
    return rank < ofSegments.count ? ofSegments[rank] : .otherSegments
  }
}

/// Round values for the axis of a chart.
package enum ChartScale {
  /// Returns the smallest round number that is not below a value: 1, 2 or 5 times a power of ten.
  static func roundedUp(_ value: Double) -> Double {
    // The powers of ten below a subnormal number end with 0, from which the search would not return.
    guard value >= .leastNormalMagnitude, value.isFinite else { return 1 }
    var power = 1.0
    while power > value { power /= 10 }
    while power * 10 <= value { power *= 10 }
    // The tolerance keeps a value that is round except for rounding errors.
    return [1, 2, 5, 10].map { $0 * power }.first { $0 >= value * (1 - 1e-9) } ?? 10 * power
  }

  /// Returns the upper end of an axis of shares that includes a value: 5 %, 10 %, 25 %, 50 % or 100 %.
  package static func shareTop(_ value: Double) -> Double {
    [0.05, 0.1, 0.25, 0.5].first { value <= $0 } ?? 1
  }
}
