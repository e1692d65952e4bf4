/// The layout of a chart: marks that can be drawn on a page of any width.
///
/// Horizontal positions and lengths are percentages of the width (``Percent``). Everything else is in pixels: vertical
/// positions from the top, heights, and the widths of texts. A chart therefore fills the width of any screen without scaling
/// its texts.
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
  /// The mean width in pixels of a character in a chart, rounded up. A text of wide letters, such as `WWW`, is wider.
  private static let characterWidth = 7.2

  /// The horizontal space in pixels that a text on an area needs besides its width.
  private static let textPadding = 6.0

  /// Returns the estimated width of a text in pixels: that of as many average characters.
  static func width(of text: String) -> Double {
    Double(text.reduce(0) { $0 + $1.displayWidth }) * characterWidth
  }

  /// The width in pixels by which rounding may make the room for a label too small.
  private static let roundingTolerance = 0.01

  /// Returns a label, truncated to a width in pixels.
  static func fitted(_ label: String, to pageWidth: Double) -> String {
    var text = label
    let room = pageWidth + roundingTolerance
    guard width(of: text) > room else { return text }
    while !text.isEmpty, width(of: text + "…") > room { text.removeLast() }
    return text + "…"
  }

  /// Returns whether a text fits into a part of a chart with a width in pixels.
  static func fits(_ text: String, in part: Percent, of pageWidth: Double) -> Bool {
    width(of: text) + textPadding <= part.pixels(of: pageWidth)
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
