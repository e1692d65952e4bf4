/// A drawing of the numbers of the tables beside it, independent of the way it is drawn.
struct Chart {
  enum Form {
    case bars(BarChart)
    case histogram(HistogramChart)
    case series(SeriesChart)
    case forest(ForestPlot)
  }

  /// What the chart shows, in a few words, such as `Reached, by step`.
  let title: Phrase
  /// What the chart shows, in a sentence without its full stop, for people who do not see it.
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

  /// Whether the values of the axis are named at the left of the chart.
  var hasNamedAxis: Bool { if case .series = form { true } else { false } }

  /// The inks of the chart with their meaning, if it has several.
  var key: [BarChart.Part] {
    guard case .bars(let chart) = form else { return [] }
    let parts = chart.partsInUse.filter { !$0.name.isEmpty }
    return chart.parts.count > 1 ? parts : []
  }
}

/// The colours of charts, named by what they mean. The stylesheet has their values for light and for dark pages.
///
/// Their hues are those of Okabe and Ito (Color Universal Design, 2008), which people with any colour vision tell apart, made
/// darker or lighter until texts on them have the contrast of WCAG 2.2, level AA.
enum ChartInk: String, CaseIterable {
  /// What goes well: groups that go on, grants.
  case good
  /// What goes half well: limited access, what is beside the main way.
  case partial
  /// What is lost.
  case loss
  /// A refusal.
  case refusal
  /// A failure.
  case failure
  /// A detour: going back, an end from outside.
  case detour
  /// What says neither yes nor no.
  case neutral
  /// What can still change. Its outline is dotted, so that it is told apart without colours.
  case open
}
