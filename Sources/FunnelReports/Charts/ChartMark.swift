/// The marks of a chart, ready to be drawn on a page of any width.
///
/// Horizontal positions and lengths are percentages of the width, vertical ones are pixels from the top. So a chart fills a phone
/// and a screen alike, and its texts keep their size.
struct ChartDrawing: Equatable {
  /// The height in pixels.
  var height: Double
  var marks: [ChartMark] = []

  /// The width in pixels of the narrowest page that charts are laid out for: a phone's of 360, without the margins.
  static let widthMin = 280.0
  /// The width in pixels of the narrowest chart of a wide page. The stylesheet shows the texts of wide pages from 720 pixels on, which
  /// leaves this much to a chart beside its margins and the names of its axis.
  static let widthOfWidePage = 640.0
  /// The space in pixels at the left of a chart for the names of its axis, if it has some.
  static let axisWidth = 48.0
  /// The mean width in pixels of a character of a chart's text, rounded up.
  private static let characterWidth = 7.2

  /// Returns an upper estimate of the width of a text, in pixels.
  static func width(of text: String) -> Double {
    Double(text.reduce(0) { $0 + $1.displayWidth }) * characterWidth
  }

  /// Returns a label, cut to the width of a chart.
  static func fitted(_ label: String, to pageWidth: Double) -> String {
    var text = label
    guard width(of: text) > pageWidth else { return text }
    while !text.isEmpty, width(of: text + "…") > pageWidth { text.removeLast() }
    return text + "…"
  }

  /// Returns whether a text fits into a share of the width of a chart.
  static func fits(_ text: String, percent: Double, of width: Double = widthMin) -> Bool {
    Self.width(of: text) + 6 <= percent / 100 * width
  }

  /// Returns texts for narrow pages and others for wide ones; what is the same on both is one text.
  ///
  /// - Parameter texts: Returns the texts for a chart of a width in pixels.
  static func texts(_ texts: (_ width: Double) -> [ChartText]) -> [ChartMark] {
    let (narrow, wide) = (texts(widthMin), texts(widthOfWidePage))
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
  /// A filled rectangle. Its tip is shown to people who point at it.
  case area(x: Double, width: Double, y: Double, height: Double, ink: ChartInk, tip: String?)
  case line(x1: Double, y1: Double, x2: Double, y2: Double, stroke: ChartStroke)
  /// A line through several points.
  case path([ChartPoint], stroke: ChartStroke)
  /// A filled area within several points.
  case band([ChartPoint])
  case dot(x: Double, y: Double, isOpen: Bool, tip: String?)
  case text(ChartText)
}

struct ChartPoint: Equatable {
  var x: Double
  var y: Double
}

enum ChartStroke: String {
  /// The line of a development.
  case curve
  /// The line of a development that can still change.
  case dotted
  /// A 95 % interval.
  case interval
  /// A line to read values at.
  case grid
  /// The line that values are measured from.
  case base
}

/// A text of a chart.
struct ChartText: Equatable {
  enum Anchor: String {
    case start, middle, end
  }

  enum Role: Equatable {
    case label, value, axis
    /// A text on an area.
    case on(ChartInk)
  }

  /// The pages that show the text.
  enum Pages: String {
    case all, narrow, wide
  }

  var text: String
  var x: Double
  var y: Double
  /// A distance to move the text by, in pixels.
  var dx: Double = 0
  var anchor = Anchor.start
  var role = Role.label
  var pages = Pages.all
}
