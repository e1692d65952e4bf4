extension HTMLRenderer {
  /// Returns a chart as an SVG as wide as the page. Horizontal positions are percentages, heights and texts are
  /// pixels.
  mutating func figure(_ chart: Chart) -> HTMLElement {
    let drawing = chart.drawing
    chartCount += 1
    let number = String(chartCount)
    let height = Self.coordinate(drawing.height)
    return HTMLElement("figure", [:], .block) {
      HTMLElement("figcaption", [:], .line) {
        text(chart.title)
        if !chart.key.isEmpty {
          " "
          Self.legend(chart.key)
        }
      }
      HTMLElement(
        "svg",
        [
          // What is in an image can't be reached, so a chart with links is none.
          "role": hasLinks(drawing) ? "group" : "img", "class": chart.hasNamedAxis ? "axis" : nil, "width": "100%",
          "height": height,
          "aria-labelledby": "chart-\(number)", "aria-describedby": "about-\(number)",
        ], .line
      ) {
        HTMLElement("title", ["id": "chart-\(number)"]) { "\(chart.title.plainText)" }
        HTMLElement("desc", ["id": "about-\(number)"], .line) { "\(chart.summary)." }
        for mark in drawing.marks { svg(mark, height: height) }
      }
    }
  }

  private static func legend(_ parts: [BarChart.Part]) -> HTMLElement {
    HTMLElement("span", ["class": "key"]) {
      for part in parts {
        HTMLElement("span") {
          HTMLElement("i", ["class": "\(part.ink.rawValue)"]) { "" }
          "\(part.name)"
        }
        " "
      }
    }
  }
}

extension HTMLRenderer {
  private static let dotRadius: HTMLText = "4"

  /// Whether a mark leads to the people that it counts.
  private func hasLinks(_ drawing: ChartDrawing) -> Bool {
    drawing.marks.contains { mark in
      guard case .area(_, _, _, _, _, _, let link?) = mark else { return false }
      return peopleTarget(link.state, of: link.segment) != nil
    }
  }

  /// Returns a mark, as a link to the people that it counts if the page has lists of people.
  private func svg(_ mark: ChartMark, height: HTMLText) -> HTMLElement {
    let element = Self.svg(mark, height: height)
    guard case .area(_, _, _, _, _, let tip, let link?) = mark, let target = peopleTarget(link.state, of: link.segment) else {
      return element
    }
    return HTMLElement("a", ["href": "\(target)", "aria-label": tip.map { "\($0)" }], .line) { element }
  }

  private static func svg(_ mark: ChartMark, height: HTMLText) -> HTMLElement {
    switch mark {
    case .area(let x, let width, let y, let areaHeight, let ink, let tip, _):
      shape(
        "rect",
        [
          "class": "\(ink.rawValue)", "x": percent(x), "y": coordinate(y), "width": percent(width),
          "height": coordinate(areaHeight),
        ], tip: tip)
    case .shade(let x, let width, let y, let areaHeight, let ink, let strength, let tip):
      shape(
        "rect",
        [
          "class": "\(ink.rawValue)", "x": percent(x), "y": coordinate(y), "width": percent(width),
          "height": coordinate(areaHeight), "fill-opacity": coordinate(strength),
        ], tip: tip)
    case .line(let x1, let y1, let x2, let y2, let stroke):
      shape(
        "line",
        [
          "class": "\(stroke.rawValue)", "x1": percent(x1), "y1": coordinate(y1), "x2": percent(x2),
          "y2": coordinate(y2),
        ])
    case .path(let points, let stroke):
      stretched(
        HTMLElement(empty: "polyline", ["class": "\(stroke.rawValue)", "points": coordinates(points)]), height: height)
    case .band(let points):
      stretched(HTMLElement(empty: "polygon", ["class": "band", "points": coordinates(points)]), height: height)
    case .dot(let x, let y, let isOpen, let tip):
      shape(
        "circle", ["class": isOpen ? "hollow" : "dot", "cx": percent(x), "cy": coordinate(y), "r": dotRadius], tip: tip)
    case .seriesLine(let points, let ink, let isOpen):
      stretched(
        HTMLElement(
          empty: "polyline", ["class": "\(isOpen ? "dotted" : "curve") of-\(ink.rawValue)", "points": coordinates(points)]),
        height: height)
    case .seriesDot(let x, let y, let ink, let isHollow, let tip):
      shape(
        "circle",
        [
          "class": "\(isHollow ? "hollow" : "dot") of-\(ink.rawValue)", "cx": percent(x), "cy": coordinate(y),
          "r": dotRadius,
        ], tip: tip)
    case .text(let text): svg(text)
    }
  }

  private static func svg(_ text: ChartText) -> HTMLElement {
    let role: HTMLText =
      switch text.role {
      case .label: "l"
      case .value: "v"
      case .axis: "a"
      case .heading: "h"
      case .on(let ink): "on-\(ink.rawValue)"
      }
    return HTMLElement(
      "text",
      [
        "class": text.pages == .all ? role : "\(role) \(text.pages.rawValue)", "x": percent(text.x), "y": coordinate(text.y),
        "dx": text.dx == 0 ? nil : coordinate(text.dx), "text-anchor": text.anchor == .start ? nil : "\(text.anchor.rawValue)",
      ], .line
    ) { "\(text.text)" }
  }

  /// Returns a shape with an optional tooltip.
  private static func shape(_ name: HTMLText, _ attributes: HTMLElement.Attributes, tip: String? = nil) -> HTMLElement {
    guard let tip else { return HTMLElement(empty: name, attributes, .line) }
    return HTMLElement(name, attributes, .line) { HTMLElement("title") { "\(tip)" } }
  }

  /// Returns a shape whose horizontal coordinates are percentages.
  ///
  /// SVG allows no percentages in lists of points, so a nested coordinate system is stretched.
  private static func stretched(_ shape: HTMLElement, height: HTMLText) -> HTMLElement {
    HTMLElement(
      "svg",
      ["width": "100%", "height": height, "viewBox": "0 0 100 \(height)", "preserveAspectRatio": "none"], .line
    ) { shape }
  }

  private static func coordinates(_ points: [ChartPoint]) -> HTMLText {
    points.map { coordinate($0.x.value) + "," + coordinate($0.y) + " " }.joined()
  }

  private static func percent(_ length: Percent) -> HTMLText { coordinate(length.value) + "%" }

  /// Returns a number with at most two decimal places.
  private static func coordinate(_ value: Double) -> HTMLText {
    assert(value.isFinite, "a mark has a position in the chart")
    return "\(HumanNumbers.decimal(value))"
  }
}
