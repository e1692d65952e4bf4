import FunnelModel

/// A mark of a chart.
enum ChartMark: Equatable {
  /// A filled rectangle with an optional tooltip, and an optional link to the people that it counts.
  case area(x: Percent, width: Percent, y: Double, height: Double, ink: ChartInk, tip: String?, link: ChartLink? = nil)
  /// An area whose ink is mixed with the background: 1 is the ink alone, 0 the background alone.
  case shade(x: Percent, width: Percent, y: Double, height: Double, ink: ChartInk, strength: Double, tip: String?)
  case line(x1: Percent, y1: Double, x2: Percent, y2: Double, stroke: ChartStroke)
  /// A line through several points.
  case path([ChartPoint], stroke: ChartStroke)
  /// A filled polygon.
  case band([ChartPoint])
  case dot(x: Percent, y: Double, isOpen: Bool, tip: String?)
  /// A line through the rates of a segment. It is dotted if the rates can still change or are of few groups.
  case seriesLine([ChartPoint], ink: ChartInk, isOpen: Bool)
  /// A dot in the ink of a segment. It is hollow if its rate can still change or is of few groups.
  case seriesDot(x: Percent, y: Double, ink: ChartInk, isHollow: Bool, tip: String?)
  case text(ChartText)
}

/// The people that a mark counts.
struct ChartLink: Hashable {
  let state: PeopleState
  /// The segment that they are in. Empty for all people.
  let segment: [PropertyValue]
}

/// A horizontal position or length in a chart, in percent of the chart's width.
struct Percent: Hashable, Comparable, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  let value: Double

  init(_ value: Double) {
    assert(value.isFinite, "a mark has a position in the chart")
    self.value = value
  }

  init(integerLiteral value: Int) { self.init(Double(value)) }
  init(floatLiteral value: Double) { self.init(value) }

  /// Returns the length in pixels in a chart with a width in pixels.
  func pixels(of width: Double) -> Double { value / 100 * width }

  static func + (lhs: Percent, rhs: Percent) -> Percent { Percent(lhs.value + rhs.value) }
  static func - (lhs: Percent, rhs: Percent) -> Percent { Percent(lhs.value - rhs.value) }
  static func * (lhs: Percent, rhs: Double) -> Percent { Percent(lhs.value * rhs) }
  static func < (lhs: Percent, rhs: Percent) -> Bool { lhs.value < rhs.value }
}

struct ChartPoint: Equatable {
  let x: Percent
  /// The position in pixels from the top.
  let y: Double
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
  /// The line that marks a cut axis.
  case cut
  /// A marked day.
  case mark
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
    /// The heading of a group of rows.
    case heading
    /// A text on an area.
    case on(ChartInk)
  }

  /// The pages that show the text.
  enum Pages: String {
    case all, narrow, wide
  }

  /// Returns the position of a text with its middle at `x`, or at the edge of the chart that it would cross.
  ///
  /// - Parameters:
  ///   - left: The room to the left of `x` in pixels.
  ///   - right: The room to the right of `x` in pixels.
  ///   - half: Half the width of the text in pixels.
  static func inside(x: Percent, left: Double, right: Double, half: Double) -> (anchor: Anchor, x: Percent) {
    assert(half >= 0, "a text has a width")
    if left < half { return (.start, 0) }
    if right < half { return (.end, 100) }
    return (.middle, x)
  }

  var text: String
  var x: Percent
  /// The baseline, in pixels from the top.
  var y: Double
  /// A horizontal offset in pixels, in addition to `x`.
  var dx: Double = 0
  var anchor = Anchor.start
  var role = Role.label
  var pages = Pages.all
}
