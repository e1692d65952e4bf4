/// The layout of a chart: marks that can be drawn on a page of any width.
///
/// Horizontal positions and lengths are percentages of the width, vertical ones are pixels from the top. A
/// chart therefore fills the width of any screen without scaling its texts.
struct ChartDrawing: Equatable {
  /// The height in pixels.
  var height: Double
  var marks: [ChartMark] = []

  /// The width in pixels of a chart on the narrowest supported page: a phone with 360 pixels, without margins.
  static let widthMin = 280.0
  /// The width in pixels of the narrowest chart on a wide page: the stylesheet's 720 pixels, without margins
  /// and axis labels.
  static let widthOfWidePage = 640.0
  /// The width in pixels of the axis labels at the left of a chart, if it has any.
  static let axisWidth = 48.0
  /// The mean width in pixels of a character in a chart, rounded up.
  private static let characterWidth = 7.2

  /// The horizontal space in pixels that a text on an area needs besides its width.
  private static let textPadding = 6.0

  /// Returns an upper estimate of the width of a text, in pixels.
  static func width(of text: String) -> Double {
    Double(text.reduce(0) { $0 + $1.displayWidth }) * characterWidth
  }

  /// Returns a label, truncated to a width in pixels.
  static func fitted(_ label: String, to pageWidth: Double) -> String {
    var text = label
    guard width(of: text) > pageWidth else { return text }
    while !text.isEmpty, width(of: text + "…") > pageWidth { text.removeLast() }
    return text + "…"
  }

  /// Returns whether a text fits into a share of the width of a chart.
  static func fits(_ text: String, percent: Double, of width: Double = widthMin) -> Bool {
    assert((0...100).contains(percent), "a share of the width is a percentage")
    return Self.width(of: text) + textPadding <= percent / 100 * width
  }

  /// Returns marks for the texts of narrow and of wide pages. If both are equal, they share one set of marks.
  ///
  /// - Parameter texts: Returns the texts for a chart with a width in pixels.
  static func texts(_ texts: (_ width: Double) -> [ChartText]) -> [ChartMark] {
    let narrow = texts(widthMin)
    let wide = texts(widthOfWidePage)
    guard narrow != wide else { return narrow.map { .text($0) } }
    return [(narrow, ChartText.Pages.narrow), (wide, .wide)].flatMap { texts, pages in
      texts.map { text -> ChartMark in
        var text = text
        text.pages = pages
        return .text(text)
      }
    }
  }
}

/// A mark of a chart.
enum ChartMark: Equatable {
  /// A filled rectangle with an optional tooltip.
  case area(x: Double, width: Double, y: Double, height: Double, ink: ChartInk, tip: String?)
  case line(x1: Double, y1: Double, x2: Double, y2: Double, stroke: ChartStroke)
  /// A line through several points.
  case path([ChartPoint], stroke: ChartStroke)
  /// A filled polygon.
  case band([ChartPoint])
  case dot(x: Double, y: Double, isOpen: Bool, tip: String?)
  case text(ChartText)
}

/// A point: `x` in percent of the width, `y` in pixels from the top.
struct ChartPoint: Equatable {
  var x: Double
  var y: Double
}

/// The style of a line. The raw value is its CSS class.
enum ChartStroke: String {
  /// The line of a series.
  case curve
  /// The line of a series whose values can still change.
  case dotted
  /// A 95 % interval.
  case interval
  /// A grid line.
  case grid
  /// The baseline of the values.
  case base
}

/// A text mark.
struct ChartText: Equatable {
  /// The part of the text at `x`.
  enum Anchor: String {
    case start, middle, end
  }

  /// The style of the text.
  enum Role: Equatable {
    case label, value, axis
    /// A text on an area.
    case on(ChartInk)
  }

  /// The pages that show the text.
  enum Pages: String {
    case all, narrow, wide
  }

  /// Returns the position of a text at `x` percent of the width, or at the edge of the chart that it would cross.
  ///
  /// - Parameters:
  ///   - left: The room to the left of `x` in pixels, and `right` that to the right.
  ///   - half: Half the width of the text in pixels.
  static func inside(x: Double, left: Double, right: Double, half: Double) -> (anchor: Anchor, x: Double) {
    assert(half >= 0, "a text has a width")
    if left < half { return (.start, 0) }
    if right < half { return (.end, 100) }
    return (.middle, x)
  }

  var text: String
  var x: Double
  var y: Double
  /// A horizontal offset in pixels, in addition to `x`.
  var dx: Double = 0
  var anchor = Anchor.start
  var role = Role.label
  var pages = Pages.all
}
