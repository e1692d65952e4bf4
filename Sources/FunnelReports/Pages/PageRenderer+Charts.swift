extension PageRenderer {
  /// Prints a chart as an SVG as wide as the page. Horizontal positions are percentages, heights and texts are
  /// pixels.
  mutating func print(_ chart: Chart) {
    let drawing = chart.drawing
    let number = String(nextChart())
    print("<figure>\n<figcaption>\(text(chart.title))")
    if !chart.key.isEmpty {
      print(" <span class=\"key\">")
      for part in chart.key { print("<span><i class=\"\(part.ink.rawValue)\"></i>\(part.name)</span> ") }
      print("</span>")
    }
    let height = coordinate(drawing.height)
    let kind: HTMLText = chart.hasNamedAxis ? " class=\"axis\"" : ""
    print("</figcaption>\n<svg role=\"img\"\(kind) width=\"100%\" height=\"\(height)\" ")
    print("aria-labelledby=\"chart-\(number)\" aria-describedby=\"about-\(number)\">")
    print("<title id=\"chart-\(number)\">\(chart.title.plainText)</title>")
    print("<desc id=\"about-\(number)\">\(chart.summary).</desc>\n")
    for mark in drawing.marks { print(mark, height: height) }
    print("</svg>\n</figure>\n")
  }

  private mutating func print(_ mark: ChartMark, height: HTMLText) {
    switch mark {
    case .area(let x, let width, let y, let areaHeight, let ink, let tip):
      print("<rect class=\"\(ink.rawValue)\" x=\"\(percent(x))\" y=\"\(coordinate(y))\" width=\"\(percent(width))\" ")
      print("height=\"\(coordinate(areaHeight))\"")
      end("rect", tip: tip)
    case .line(let x1, let y1, let x2, let y2, let stroke):
      print("<line class=\"\(stroke.rawValue)\" x1=\"\(percent(x1))\" y1=\"\(coordinate(y1))\" ")
      print("x2=\"\(percent(x2))\" y2=\"\(coordinate(y2))\"/>\n")
    case .path(let points, let stroke):
      printStretched(height: height, "<polyline class=\"\(stroke.rawValue)\" points=\"\(coordinates(points))\"/>")
    case .band(let points):
      printStretched(height: height, "<polygon class=\"band\" points=\"\(coordinates(points))\"/>")
    case .dot(let x, let y, let isOpen, let tip):
      print("<circle class=\"\(isOpen ? "hollow" : "dot")\" cx=\"\(percent(x))\" cy=\"\(coordinate(y))\" r=\"4\"")
      end("circle", tip: tip)
    case .text(let text): print(text)
    }
  }

  private mutating func print(_ text: ChartText) {
    let role: HTMLText =
      switch text.role {
      case .label: "l"
      case .value: "v"
      case .axis: "a"
      case .on(let ink): "on-\(ink.rawValue)"
      }
    let kind: HTMLText = text.pages == .all ? role : role + " \(text.pages.rawValue)"
    print("<text class=\"\(kind)\" x=\"\(percent(text.x))\" y=\"\(coordinate(text.y))\"")
    if text.dx != 0 { print(" dx=\"\(coordinate(text.dx))\"") }
    if text.anchor != .start { print(" text-anchor=\"\(text.anchor.rawValue)\"") }
    print(">\(text.text)</text>\n")
  }

  /// Ends an element, with an optional tooltip.
  private mutating func end(_ element: HTMLText, tip: String?) {
    if let tip { print("><title>\(tip)</title></\(element)>\n") } else { print("/>\n") }
  }

  /// Prints a shape whose horizontal coordinates are percentages.
  ///
  /// SVG allows no percentages in lists of points, so a nested coordinate system is stretched.
  private mutating func printStretched(height: HTMLText, _ shape: HTMLText) {
    print(
      "<svg width=\"100%\" height=\"\(height)\" viewBox=\"0 0 100 \(height)\" preserveAspectRatio=\"none\">\(shape)</svg>\n")
  }

  private func coordinates(_ points: [ChartPoint]) -> HTMLText {
    points.reduce(into: "") { $0 = $0 + coordinate($1.x) + "," + coordinate($1.y) + " " }
  }

  private func percent(_ value: Double) -> HTMLText { coordinate(value) + "%" }

  /// Returns a number with at most two decimal places.
  private func coordinate(_ value: Double) -> HTMLText { "\(HumanNumbers.decimal(value))" }
}
