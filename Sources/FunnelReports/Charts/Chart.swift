/// A chart of the numbers in a table, independent of the output format.
struct Chart {
  /// The type of a chart, with its data.
  enum Form {
    case bars(BarChart)
    case histogram(HistogramChart)
    case series(SeriesChart)
    case forest(ForestPlot)
  }

  /// The title, such as `Reached, by step`.
  let title: Phrase
  /// A description for screen readers, without a full stop.
  let summary: String
  let form: Form

  /// The marks of the chart.
  var drawing: ChartDrawing {
    switch form {
    case .bars(let chart): chart.drawing
    case .histogram(let chart): chart.drawing
    case .series(let chart): chart.drawing
    case .forest(let chart): chart.drawing
    }
  }

  /// Whether the vertical axis has labels at the left of the chart.
  var hasNamedAxis: Bool { if case .series = form { true } else { false } }

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
enum ChartInk: String, CaseIterable {
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
}
