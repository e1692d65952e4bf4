import Testing

@testable import FunnelRendering

/// The flow diagram of paths: bars as high as their counts, joined by bands.
@Suite struct FlowDiagramTests {
  private static let root = FlowDiagram.Branch(
    label: "paywall_shown", count: 100, ink: .good,
    branches: [
      .init(
        label: "purchase_completed", count: 50, ink: .good,
        branches: [.init(label: "nothing more", count: 40, ink: .loss, branches: [])]),
      .init(label: "nothing more", count: 30, ink: .loss, branches: []),
    ])

  private struct Bar {
    let x: Percent
    let y: Double
    let height: Double
    let tip: String?
  }

  private static func bars(_ drawing: ChartDrawing) -> [Bar] {
    drawing.marks.compactMap { mark in
      guard case .area(let x, _, let y, let height, _, let tip, _) = mark else { return nil }
      return Bar(x: x, y: y, height: height, tip: tip)
    }
  }

  private static func bands(_ drawing: ChartDrawing) -> [[ChartPoint]] {
    drawing.marks.compactMap { if case .band(let points) = $0 { points } else { nil } }
  }

  @Test(arguments: [FlowDiagram.Start.left, .right])
  func `bars are as high as their counts, and inside the chart`(start: FlowDiagram.Start) {
    let drawing = FlowDiagram(root: Self.root, start: start).drawing
    let bars = Self.bars(drawing)
    #expect(
      bars.map(\.tip) == [
        "paywall_shown: 100 · 100 %", "purchase_completed: 50 · 50.0 %", "nothing more: 40 · 40.0 %",
        "nothing more: 30 · 30.0 %",
      ])
    for (bar, count) in zip(bars, [100.0, 50, 40, 30]) {
      #expect(abs(bar.height / bars[0].height - count / 100) < 1e-9)
      #expect(bar.y >= 0 && bar.y + bar.height <= drawing.height + 1e-9)
    }
    let columns = [0, 1, 2, 1].map { Double($0) * 100 / 3 }
    for (bar, column) in zip(bars, columns) {
      #expect(abs(bar.x.value - (start == .left ? column : 100 - column - 1.5)) < 1e-9)
    }
  }

  @Test func `each branch has a band from its part of the parent's bar to its own bar`() {
    let drawing = FlowDiagram(root: Self.root, start: .left).drawing
    let bars = Self.bars(drawing)
    let bands = Self.bands(drawing)
    #expect(bands.count == 3)
    for band in bands {
      let ends = (near: band[0], far: band[band.count / 2 - 1])
      let height = (band.last?.y ?? 0) - ends.near.y
      #expect(bars.contains { abs($0.y - ends.far.y) < 1e-9 && abs($0.height - height) < 1e-9 && $0.x == ends.far.x })
      #expect(bars.contains { $0.y <= ends.near.y + 1e-9 && ends.near.y + height <= $0.y + $0.height + 1e-9 })
    }
  }

  @Test func `labels keep to their column`() {
    let long = FlowDiagram.Branch(
      label: "notifications_permission_prompt_shown_again", count: 10, ink: .good,
      branches: [.init(label: "a_name_that_is_much_too_long_for_a_column", count: 1, ink: .good, branches: [])])
    let drawing = FlowDiagram(root: long, start: .left).drawing
    for (pages, width) in [(ChartText.Pages.narrow, ChartDrawing.widthMin), (.wide, ChartDrawing.widthOfWidePage)] {
      for mark in drawing.marks {
        guard case .text(let text) = mark, [.all, pages].contains(text.pages) else { continue }
        #expect(ChartDrawing.width(of: text.text) <= width / 2, "\(text.text)")
      }
    }
  }
}
