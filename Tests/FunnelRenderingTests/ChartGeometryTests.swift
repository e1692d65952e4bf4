import FunnelModel
import Testing

@testable import FunnelRendering

/// The lengths, heights and areas of marks are as the numbers they stand for.
@Suite struct ChartGeometryTests {
  @Test func `the parts of a bar are as long as their numbers, one after the other`() throws {
    let chart = BarChart(
      parts: [.init(name: "went on", ink: .good), .init(name: "under way", ink: .open), .init(name: "dropped", ink: .loss)],
      bars: [
        .init(label: label("Welcome"), lengths: [75, 5, 20], whole: 100, value: Phrase("100")),
        .init(label: label("Photos"), lengths: [30, 0, 45], whole: 100, value: Phrase("75")),
      ])
    let areas = Self.areas(of: chart.drawing)
    #expect(areas.map(\.x) == [0, 75, 80, 0, 30])
    #expect(areas.map(\.width) == [75, 5, 20, 30, 45])
    #expect(areas.map(\.ink) == [.good, .open, .loss, .good, .loss])
    #expect(Set(areas.map(\.height)).count == 1)
    #expect(Set(areas.map(\.y)).count == 2)
    #expect(
      areas.map(\.tip) == [
        "Welcome: 75 went on", "Welcome: 5 under way", "Welcome: 20 dropped", "Photos: 30 went on", "Photos: 45 dropped",
      ])
  }

  @Test func `a bar of a rate is as long as it, and its whiskers end where the interval does`() {
    let rate = Rate(value: 0.25, low: 0.125, high: 0.4, denominator: 40)
    let chart = BarChart(rates: [(label("One"), rate, .good), (label("None"), nil, .good)], top: 0.5)
    #expect(Self.areas(of: chart.drawing).map(\.width) == [50])
    let intervals = Self.lines(of: chart.drawing, .interval)
    #expect(intervals.map(\.x1) == [25, 25, 80])
    #expect(intervals.map(\.x2) == [80, 25, 80])
    #expect(Self.texts(of: chart.drawing) == ["One", "25.0 % · 10 of 40", "None", "–"])
  }

  @Test func `the columns of a histogram are equally wide and as high as their counts`() {
    let chart = HistogramChart(bins: [(0, 4), (1, 0), (2, 8), (3, 2)].map { .init(edge: "\($0.0)", name: "", count: $0.1) })
    let areas = Self.areas(of: chart.drawing)
    #expect(areas.map { $0.height / chart.plotHeight } == [0.5, 1, 0.25])
    #expect(areas.map { $0.y + $0.height } == Array(repeating: areas[0].y + areas[0].height, count: 3))
    #expect(Set(areas.map { ($0.width.value * 1e6).rounded() }).count == 1)
    #expect(areas.map { Int($0.x.value / 25) } == [0, 2, 3])
  }

  @Test func `the tallest columns of a histogram have their numbers, however narrow they are`() throws {
    // A dozen columns of which two are tall, and wider numbers than columns.
    let counts = [3, 12_345, 40, 7, 0, 9, 11_000, 2, 1, 5, 8, 6, 4, 2, 1, 1]
    let drawing = HistogramChart(bins: counts.map { .init(edge: "1 m", name: "", count: $0) }).drawing
    for pages in [ChartText.Pages.narrow, .wide] {
      let shown = drawing.marks.compactMap { mark -> String? in
        guard case .text(let text) = mark, text.pages == pages || text.pages == .all, text.text != "1 m" else { return nil }
        return text.text
      }
      #expect(shown.contains("12,345") && shown.contains("11,000"), "\(shown)")
    }
  }

  @Test func `an axis fits the shares of enough groups, and others are drawn at its end`() {
    let low = Rate(value: 0.02, low: 0.01, high: 0.04, denominator: 500)
    let high = Rate(value: 0.6, low: 0.5, high: 0.7, denominator: 500)
    let few = Rate(value: 1, low: 0.2, high: 1, denominator: 1)
    #expect(ShareAxis(fitting: [low, high, nil]).top == 1)
    #expect(ShareAxis(fitting: [few, low]).top == 0.05 && ShareAxis(fittingValuesOf: [few, low]).ticks.last! < 0.06)
    #expect(ShareAxis(fitting: [few]).top == 1)
    let chart = SeriesChart(points: [few, low].map { .init(name: "", rate: $0, isOpen: false) })
    #expect(chart.plot.axis.top == 0.05 && chart.plot.y(few.value) == chart.plot.top)
  }

  @Test func `histograms that are compared have one scale`() {
    let chart = HistogramChart(bins: [.init(edge: "", name: "", count: 5)], top: 20)
    #expect(Self.areas(of: chart.drawing).map { $0.height / chart.plotHeight } == [0.25])
  }

  @Test func `a histogram of nothing draws nothing`() {
    #expect(HistogramChart(bins: [.init(edge: "0 s", name: "", count: 0)]).drawing.marks.isEmpty)
    #expect(HistogramChart(bins: []).drawing.marks.isEmpty)
  }

  @Test func `a line goes through the rates, a band over their intervals, and what is open is dotted`() throws {
    let rates = [(0.5, 0.4, 0.6), (0.25, 0.2, 0.3), (0.75, 0.7, 1), (1, 0.8, 1)]
    let chart = SeriesChart(
      points: rates.enumerated().map { index, rate in
        .init(
          name: "\(index)", rate: Rate(value: rate.0, low: rate.1, high: rate.2, denominator: 50), isOpen: index == 3)
      })
    #expect(chart.plot.axis.top == 1 && !chart.plot.axis.isCut)
    let marks = chart.drawing.marks
    let grid = Self.lines(of: chart.drawing, .base)[0].y1
    let top = try #require(Self.lines(of: chart.drawing, .grid).map(\.y1).min())
    func share(_ y: Double) -> Double { ((grid - y) / (grid - top) * 1e9).rounded() / 1e9 }
    let paths = marks.compactMap { mark in if case .path(let points, let stroke) = mark { (points, stroke) } else { nil } }
    #expect(paths.map(\.1) == [.curve, .dotted])
    #expect(paths[0].0.map { share($0.y) } == [0.5, 0.25, 0.75])
    #expect(paths[0].0.map(\.x) == [12.5, 37.5, 62.5])
    #expect(paths[1].0.map { share($0.y) } == [0.75, 1])
    let bands = marks.compactMap { if case .band(let points) = $0 { points } else { nil } }
    #expect(bands.map { $0.map { share($0.y) } } == [[0.6, 0.3, 1, 0.7, 0.2, 0.4]])
    let dots = marks.compactMap { if case .dot(let x, let y, let isOpen, _) = $0 { (x, share(y), isOpen) } else { nil } }
    #expect(dots.map(\.0) == [12.5, 37.5, 62.5, 87.5])
    #expect(dots.map(\.1) == [0.5, 0.25, 0.75, 1])
    #expect(dots.map(\.2) == [false, false, false, true])
  }

  @Test func `where nothing was counted the line has a gap`() {
    let rate = Rate(value: 0.5, low: 0.4, high: 0.6, denominator: 50)
    let chart = SeriesChart(
      points: [rate, nil, rate, rate].map { .init(name: "d", rate: $0, isOpen: false) })
    let paths = chart.drawing.marks.compactMap { if case .path(let points, stroke: .curve) = $0 { points.count } else { nil } }
    #expect(paths == [2])
    #expect(Self.lines(of: chart.drawing, .interval).count == 1)
  }

  @Test func `differences lie on both sides of the line of none, on one scale`() {
    let plot = ForestPlot(
      rows: [
        .init(label: "Conversion", difference: (0.05, -0.05, 0.15), value: "+5.0", isSignificant: false),
        .init(label: "Photos", difference: (-0.1, -0.2, -0.05), value: "-10.0", isSignificant: true),
      ], less: "less with B", more: "more with B")
    #expect(plot.reach == 0.2)
    let dots = plot.drawing.marks.compactMap { if case .dot(let x, _, let isOpen, _) = $0 { (x, isOpen) } else { nil } }
    #expect(dots.map(\.0) == [62.5, 25])
    #expect(dots.map(\.1) == [true, false])
    let intervals = Self.lines(of: plot.drawing, .interval)
    #expect(intervals.map(\.x1) == [37.5, 0])
    #expect(intervals.map { ($0.x2.value * 10).rounded() / 10 } == [87.5, 37.5])
  }

  @Test(arguments: [(0.03, 0.05), (0.1, 0.1), (0.11, 0.2), (0.3, 0.5), (0.51, 1), (1, 1), (0, 1), (7, 10), (0.002, 0.002)])
  func `an axis ends at a round number that is not smaller`(value: Double, end: Double) {
    #expect(abs(ChartScale.roundedUp(value) - end) < 1e-12)
  }

  @Test func `a mark never leaves the chart`() {
    let chart = BarChart(
      parts: [.init(name: "a", ink: .good)],
      bars: [.init(label: label("More than all"), lengths: [150], whole: 100, value: Phrase(""), interval: -0.5...300)])
    #expect(Self.areas(of: chart.drawing).map(\.width) == [100])
    #expect(Self.lines(of: chart.drawing, .interval).allSatisfy { (0...100).contains($0.x1) && (0...100).contains($0.x2) })
  }

  @Test func `a wide page has labels that a narrow one has no room for`() {
    let parts = [BarChart.Part(name: "went on", ink: .good), .init(name: "dropped", ink: .loss)]
    let bar = BarChart.Bar(label: label("Step"), lengths: [85, 15], whole: 100, value: Phrase("100"))
    let labels = Self.marked(BarChart(parts: parts, bars: [bar]).drawing).filter { $0.role == .on(.loss) }
    #expect(labels.map(\.text) == ["15", "15 dropped"])
    #expect(labels.map(\.pages) == [.narrow, .wide])
    let bins = (0..<20).map { HistogramChart.Bin(edge: "\($0) s", name: "", count: 100 + $0) }
    let texts = Self.marked(HistogramChart(bins: bins).drawing)
    #expect(texts.count { $0.pages == .wide } > texts.count { $0.pages == .narrow })
  }

  @Test func `a value beside its label is aligned with all others, or stands below it in all rows`() {
    let rate = Rate(value: 0.5, low: 0.4, high: 0.6, denominator: 50)
    let chart = BarChart(rates: [(label("A"), rate, .good), (label("A name of a step that is rather long"), rate, .good)])
    let texts = Self.marked(chart.drawing)
    let narrow = texts.filter { $0.pages == .narrow }
    #expect(narrow.allSatisfy { $0.x == 0 } && Set(narrow.map(\.y)).count == 4)
    let wide = texts.filter { $0.pages == .wide }
    #expect(wide.map(\.x) == [0, 100, 0, 100] && Set(wide.map(\.y)).count == 2)
    let tops = Self.areas(of: chart.drawing).map(\.y)
    #expect(narrow.map(\.y).max()! < tops[1] && wide.map(\.y).max()! < tops[1])
  }

  @Test func `a label of any length leaves room for its value`() {
    let rate = Rate(value: 0.5, low: 0.4, high: 0.6, denominator: 50)
    for length in [10, 40, 80, 200] {
      for depth in [0, 3] {
        let text = DocumentCell.Label(phrase: Phrase(String(repeating: "a", count: length)), depth: depth)
        for pages in [ChartText.Pages.narrow, .wide] {
          let texts = Self.marked(BarChart(rates: [(text, rate, .good)]).drawing).filter { [.all, pages].contains($0.pages) }
          let width = pages == .wide ? ChartDrawing.widthOfWidePage : ChartDrawing.widthMin
          let end = texts[0].dx + ChartDrawing.width(of: texts[0].text)
          #expect(
            end <= (texts[0].y == texts[1].y ? width - ChartDrawing.width(of: texts[1].text) : width), "\(length) \(pages)")
        }
      }
    }
  }

  @Test func `a line says which of its points are of few groups, and its last value on its free side`() throws {
    func chart(_ values: [Double], groups: Int = 50) -> SeriesChart {
      SeriesChart(
        points: values.enumerated().map { index, value in
          let count = index == 1 ? groups : 50
          return .init(name: "2026-11-0\(index)", rate: Rate(value: value, low: 0, high: 1, denominator: count), isOpen: false)
        })
    }
    #expect(Self.texts(of: chart([0.5, 0.5, 0.5]).drawing).filter { $0.contains("*") } == [])
    let few = Self.marked(chart([0.5, 0.5, 0.5], groups: 29).drawing).filter { $0.text == "*" }
    #expect(few.map(\.x) == [50])
    for (values, isBelow) in [([0.2, 0.5, 0.8], false), ([0.2, 0.8, 0.5], true), ([0.2, 0.3, 0.02], false)] {
      let drawing = chart(values).drawing
      let value = try #require(Self.marked(drawing).first { $0.role == .value })
      let dot = try #require(drawing.marks.compactMap { if case .dot(_, let y, _, _) = $0 { y } else { nil } }.last)
      #expect((value.y > dot) == isBelow, "\(values)")
    }
  }

  @Test func `the names of an axis stand beside the chart, and those of days do not touch`() {
    for count in [1, 2, 7, 14, 31, 62, 365] {
      let points = (0..<count).map { _ in
        SeriesChart.Point(name: "2026-11-01", rate: Rate(value: 0.5, low: 0.4, high: 0.6, denominator: 50), isOpen: false)
      }
      let texts = Self.marked(SeriesChart(points: points).drawing)
      #expect(
        texts.filter { $0.text.hasSuffix("%") && $0.role == .axis }.allSatisfy { $0.x == 0 && $0.dx < 0 && $0.anchor == .end })
      for (pages, width) in [(ChartText.Pages.narrow, ChartDrawing.widthMin), (.wide, ChartDrawing.widthOfWidePage)] {
        let names = texts.filter { $0.text == "2026-11-01" && [.all, pages].contains($0.pages) }
        let spans = names.map { name -> ClosedRange<Double> in
          let (x, length) = (name.x.pixels(of: width), ChartDrawing.width(of: name.text))
          let start = name.anchor == .start ? x : name.anchor == .end ? x - length : x - length / 2
          return start...start + length
        }
        #expect(!spans.isEmpty, "\(count)")
        #expect(spans.allSatisfy { $0.lowerBound >= -ChartDrawing.axisWidth && $0.upperBound <= width }, "\(count)")
        #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }, "\(count)")
      }
    }
  }

  @Test func `a part is labelled only where its label has room on the narrowest page`() {
    for count in [1, 5, 10, 20, 40, 80] {
      let chart = BarChart(
        parts: [.init(name: "went on", ink: .good), .init(name: "dropped", ink: .loss)],
        bars: [.init(label: label("Step"), lengths: [Double(100 - count), Double(count)], whole: 100, value: Phrase("100"))])
      for case .text(let text) in chart.drawing.marks where text.role == .on(.loss) {
        let width = text.pages == .wide ? ChartDrawing.widthOfWidePage : ChartDrawing.widthMin
        #expect(ChartDrawing.width(of: text.text) < Double(count) / 100 * width, "\(count)")
      }
    }
  }
}

extension ChartGeometryTests {
  private func label(_ text: String) -> DocumentCell.Label { .init(phrase: Phrase(text)) }

  private typealias Area = (x: Percent, width: Percent, y: Double, height: Double, ink: ChartInk, tip: String?)

  private static func areas(of drawing: ChartDrawing) -> [Area] {
    drawing.marks.compactMap { mark in
      if case .area(let x, let width, let y, let height, let ink, let tip, _) = mark {
        (x, width, y, height, ink, tip)
      } else {
        nil
      }
    }
  }

  private typealias Line = (x1: Percent, y1: Double, x2: Percent, y2: Double)

  private static func lines(of drawing: ChartDrawing, _ stroke: ChartStroke) -> [Line] {
    drawing.marks.compactMap { mark in
      if case .line(let x1, let y1, let x2, let y2, stroke) = mark { (x1, y1, x2, y2) } else { nil }
    }
  }

  private static func marked(_ drawing: ChartDrawing) -> [ChartText] {
    drawing.marks.compactMap { if case .text(let text) = $0 { text } else { nil } }
  }

  private static func texts(of drawing: ChartDrawing) -> [String] {
    drawing.marks.compactMap { if case .text(let text) = $0 { text.text } else { nil } }
  }
}
