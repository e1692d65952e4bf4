import FunnelModel
import Testing

@testable import FunnelRendering

/// Charts that compare segments: bars below each other, lines in one plot, and the axis of shares.
@Suite struct SegmentChartTests {
  private static func bar(_ name: String, _ length: Double?, ink: ChartInk = .segment1) -> GroupedBarChart.Bar {
    GroupedBarChart.Bar(
      label: name, segment: [.string(name)], ink: ink, length: length, value: "50.0 %", detail: "1,234",
      people: (.step("photos", "reached"), "1,234 reached it"))
  }

  private static func texts(_ drawing: ChartDrawing, on pages: ChartText.Pages) -> [ChartText] {
    drawing.marks.compactMap { mark in
      if case .text(let text) = mark, [.all, pages].contains(text.pages) { text } else { nil }
    }
  }

  @Test func `each step has a bar for each segment, from one edge and on one scale`() {
    let chart = GroupedBarChart(groups: [
      .init(label: "Welcome", bars: [Self.bar("A", 0.5), Self.bar("B", 0.25, ink: .segment2)]),
      .init(label: "Photos", bars: [Self.bar("A", 0.25), Self.bar("B", nil)]),
    ])
    let areas = chart.drawing.marks.compactMap { mark in
      if case .area(let x, let width, let y, _, let ink, let tip, let link) = mark {
        (x, width, y, ink, tip, link)
      } else {
        nil
      }
    }
    #expect(areas.count == 3)
    #expect(Set(areas.map(\.0)).count == 1)
    #expect(abs(areas[0].1.value - 2 * areas[1].1.value) < 1e-9 && areas[1].1 == areas[2].1)
    #expect(areas.map(\.2) == areas.map(\.2).sorted())
    #expect(areas.map(\.3) == [.segment1, .segment2, .segment1])
    #expect(areas.map(\.4).first == "Welcome, A: 1,234 reached it")
    #expect(areas.map { $0.5?.segment } == [[.string("A")], [.string("B")], [.string("A")]])
  }

  @Test func `names and numbers of bars have room on each page`() {
    let names = ["A", "2026-11-01", "a campaign with a very long name for returning customers"]
    let chart = GroupedBarChart(groups: [.init(label: "Welcome", bars: names.map { Self.bar($0, 1) })])
    let areas = chart.drawing.marks.compactMap { mark -> (start: Percent, end: Percent)? in
      if case .area(let x, let width, _, _, _, _, _) = mark { (x, x + width) } else { nil }
    }
    for (pages, width) in [(ChartText.Pages.narrow, ChartDrawing.widthMin), (.wide, ChartDrawing.widthOfWidePage)] {
      for text in Self.texts(chart.drawing, on: pages) where text.role != .heading {
        let length = ChartDrawing.width(of: text.text)
        if text.anchor == .end {
          #expect(areas[0].end.pixels(of: width) <= width - length, "\(text.text)")
        } else {
          #expect(length <= areas[0].start.pixels(of: width), "\(text.text)")
        }
      }
    }
    #expect(Self.texts(chart.drawing, on: .wide).contains { $0.text == "50.0 % · 1,234" })
    #expect(Self.texts(chart.drawing, on: .narrow).contains { $0.text == "50.0 %" })
  }

  private static func line(_ name: String, _ values: [Double?], ink: ChartInk = .segment1) -> LinesChart.Line {
    LinesChart.Line(
      name: name, ink: ink,
      points: values.enumerated().map { index, value in
        SeriesChart.Point(
          name: "\(index)", rate: value.map { Rate(value: $0, low: $0, high: $0, denominator: 100) },
          isOpen: index == values.count - 1)
      })
  }

  @Test func `each segment has a line with its name at the end, and open periods are dotted`() {
    let lines = [
      Self.line("A", [0.5, 0.6, 0.7]), Self.line("B", [0.5, 0.6, 0.7], ink: .segment2),
      Self.line("small", [0.1, nil, 0.2], ink: .otherSegments),
    ]
    let drawing = LinesChart(lines: lines, axis: ShareAxis(fittingValuesOf: lines.flatMap { $0.points.map(\.rate) })).drawing
    let drawn = drawing.marks.compactMap { mark in
      if case .seriesLine(let points, let ink, let isOpen) = mark { (points.count, ink, isOpen) } else { nil }
    }
    #expect(drawn.map(\.1) == [.segment1, .segment1, .segment2, .segment2])
    #expect(drawn.map(\.2) == [false, true, false, true])
    let names = Self.texts(drawing, on: .wide).filter { $0.role == .label }
    #expect(names.map(\.text) == ["A 60.0 %, 1", "B 60.0 %, 1"])
    #expect(abs(names[0].y - names[1].y) >= 14)
  }

  @Test func `points of few people are hollow with dotted lines, and a line is named with its last point of enough`() throws {
    func line(_ name: String, _ ink: ChartInk, _ groups: [Int]) -> LinesChart.Line {
      LinesChart.Line(
        name: name, ink: ink,
        points: groups.enumerated().map { index, count in
          let value = Double(index + 1) / 10
          return SeriesChart.Point(
            name: "2026-11-0\(index + 1)", axisName: "\(index + 1) Nov",
            rate: Rate(value: value, low: value, high: value, denominator: count), isOpen: false)
        })
    }
    let lines = [line("A", .segment1, [30, 29, 30, 30, 5]), line("B", .segment2, [5, 5, 5, 5, 29])]
    let chart = LinesChart(lines: lines, axis: ShareAxis(fittingValuesOf: lines.flatMap { $0.points.map(\.rate) }))
    let drawn = chart.drawing.marks.compactMap { mark in
      if case .seriesLine(let points, .segment1, let isOpen) = mark { (points.count, isOpen) } else { nil }
    }
    #expect(drawn.map(\.0) == [2, 3, 2] && drawn.map(\.1) == [false, true, true])
    let dots = chart.drawing.marks.compactMap { mark in
      if case .seriesDot(_, _, .segment1, let isHollow, let tip?) = mark { (isHollow, tip) } else { nil }
    }
    #expect(dots.prefix(5).map(\.0) == [false, true, false, false, true])
    #expect(dots[1].1.hasPrefix("A, 2026-11-02: 20.0 %* of 29") && dots[2].1.hasPrefix("A, 2026-11-03: 30.0 % of 30"))
    // The dot beside the name has the numbers of the point that the name tells.
    #expect(dots.count == 6 && dots[5].1.hasPrefix("A, 2026-11-04: 40.0 % of 30"))
    let names = Self.texts(chart.drawing, on: .wide).filter { $0.role == .label }
    #expect(Set(names.map(\.text)) == ["A 40.0 %, 4 Nov", "B 50.0 %*"])
    #expect(Set(Self.texts(chart.drawing, on: .narrow).filter { $0.role == .label }.map(\.text)) == ["A 40.0 %", "B 50.0 %*"])
    let name = try #require(names.first { $0.text.hasPrefix("A") })
    #expect(abs(name.y - chart.plot.y(0.4)) < 6)
  }

  @Test func `cells of few people are marked, have the weakest color and do not count for the scale`() {
    func rate(_ value: Double, of count: Int) -> Rate { Rate(value: value, low: 0, high: 1, denominator: count) }
    let chart = ShadingChart(
      columns: ["1", "2"],
      rows: [
        .init(name: "a", rates: [rate(0.2, of: 30), rate(0.1, of: 100)]), .init(name: "b", rates: [rate(1, of: 29), nil]),
      ])
    let cells = chart.drawing.marks.compactMap { mark in
      if case .shade(_, _, _, _, _, let strength, let tip?) = mark { (strength, tip) } else { nil }
    }
    #expect(cells.map(\.1) == ["a, 1: 20.0 % · 6 of 30", "a, 2: 10.0 % · 10 of 100", "b, 1: 100 %* · 29 of 29"])
    #expect(abs(cells[0].0 - 0.6) < 1e-9 && cells[1].0 > cells[2].0 && cells[2].0 == 0.06)
    #expect(Self.texts(chart.drawing, on: .wide).filter { $0.role == .value }.map(\.text) == ["20.0 %", "10.0 %", "100 %*"])
  }

  @Test(arguments: [(2, "14.2 %"), (5, "14 %"), (8, "14"), (12, "14")])
  func `a narrow page has shares without decimals in cells`(columns: Int, text: String) {
    let rate = Rate(value: 0.142, low: 0, high: 1, denominator: 100)
    let row = ShadingChart.Row(name: "a", rates: Array(repeating: rate, count: columns))
    let drawing = ShadingChart(columns: (1...columns).map(String.init), rows: [row]).drawing
    let texts = Self.texts(drawing, on: .narrow).filter { $0.role == .value }
    #expect(texts.map(\.text) == Array(repeating: text, count: columns))
  }

  @Test func `an axis is cut only where the shares need less than its upper half, and says so`() {
    func axis(_ low: Double, _ high: Double) -> ShareAxis {
      ShareAxis(fitting: [Rate(value: (low + high) / 2, low: low, high: high, denominator: 100)])
    }
    #expect(axis(0.1, 0.9).ticks == [0, 0.5, 1] && !axis(0.1, 0.9).isCut)
    let cut = axis(0.62, 0.71)
    #expect(cut.isCut && cut.bottom <= 0.62 && cut.top >= 0.71 && cut.bottom > 0.5 && cut.top < 0.9)
    for (low, high) in [(0.5, 0.5), (0.98, 1), (0.0, 0.0), (0.004, 0.005), (0.3, 0.59), (1, 1)] {
      let axis = axis(low, high)
      #expect(axis.bottom <= low && axis.top >= high && axis.bottom < axis.top, "\(low) \(high)")
      #expect(axis.ticks.first == axis.bottom && axis.ticks.last == axis.top && axis.ticks.count <= 6, "\(axis.ticks)")
    }
    let points = [SeriesChart.Point(name: "a", rate: Rate(value: 0.66, low: 0.62, high: 0.71, denominator: 100), isOpen: false)]
    let drawing = SeriesChart(points: points).drawing
    #expect(Self.texts(drawing, on: .wide).contains { $0.text == "0 %" })
    #expect(drawing.marks.contains { if case .path(_, stroke: .cut) = $0 { true } else { false } })
  }

  @Test func `a marked day has a line, and its text where there is room`() {
    let points = (0..<10).map { index in
      SeriesChart.Point(name: "\(index)", rate: Rate(value: 0.5, low: 0.4, high: 0.6, denominator: 100), isOpen: false)
    }
    let marks = (0..<10).map { TimeMark(position: Double($0) + 0.5, text: "a new paywall \($0)") }
    let drawing = SeriesChart(points: points, marks: marks).drawing
    let lines = drawing.marks.compactMap { mark in
      if case .line(let x1, _, _, _, stroke: .mark) = mark { x1 } else { nil }
    }
    #expect(lines.map { ($0.value * 10).rounded() / 10 } == (0..<10).map { Double($0) * 10 + 5 })
    for (pages, width) in [(ChartText.Pages.narrow, ChartDrawing.widthMin), (.wide, ChartDrawing.widthOfWidePage)] {
      let shown = Self.texts(drawing, on: pages).filter { $0.text.hasPrefix("a new paywall") }
      #expect(!shown.isEmpty)
      let boxes = shown.map { text -> (y: Double, start: Double, end: Double) in
        let x = text.x.pixels(of: width) + text.dx
        let length = ChartDrawing.width(of: text.text)
        return text.anchor == .end ? (text.y, x - length, x) : (text.y, x, x + length)
      }
      for (index, box) in boxes.enumerated() {
        #expect(box.end <= width + 1)
        for other in boxes[(index + 1)...] where other.y == box.y { #expect(box.end < other.start || other.end < box.start) }
      }
    }
  }
}
