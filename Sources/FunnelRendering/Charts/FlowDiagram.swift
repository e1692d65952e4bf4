/// A tree of counts as a flow: a bar for each branch, as high as its count, and a band to each bar from its parent's.
package struct FlowDiagram {
  /// A node of the tree: those who took one way so far.
  package struct Branch {
    /// The name of the last event of the way.
    let label: String
    let count: Int
    let ink: ChartInk
    /// The ways that go on from here. Their counts add up to at most ``count``.
    let branches: [Branch]

    package init(label: String, count: Int, ink: ChartInk, branches: [Branch]) {
      precondition(count > 0, "a branch has a height")
      precondition(branches.reduce(0) { $0 + $1.count } <= count, "each way through a branch leads on at most once")
      self.label = label
      self.count = count
      self.ink = ink
      self.branches = branches
    }

    /// The number of columns that the branch and those after it take.
    fileprivate var columnCount: Int { 1 + (branches.map(\.columnCount).max() ?? 0) }
  }

  /// The side at which the diagram begins.
  package enum Start {
    /// The root is at the left, as of the events that follow.
    case left
    /// The root is at the right, as of the events that precede.
    case right
  }

  let root: Branch
  let start: Start

  package init(root: Branch, start: Start) {
    self.root = root
    self.start = start
  }
}

extension FlowDiagram {
  /// The height of the root's bar in pixels. A branch of 5 % is as high as its label.
  private static let rootHeight = 300.0
  /// The space between two branches of one parent in pixels.
  private static let gap = 8.0
  private static let barWidth = Percent(1.5)
  /// The distance of a label from its bar in pixels.
  private static let labelDistance = 5.0
  /// The height of a line of text in pixels, and the distance of its baseline from its middle.
  private static let lineHeight = 15.0
  private static let baseline = 4.0
  /// The number of straight pieces of the edge of a band.
  private static let bandPieces = 12

  /// The marks: bands, then bars, then labels with counts.
  var drawing: ChartDrawing {
    var layout = Layout(of: root, from: start)
    layout.add(root, column: 0, top: 0)
    return ChartDrawing(height: layout.height(of: root), marks: layout.bands + layout.bars + layout.texts)
  }

  /// The marks of the branches that are laid out so far.
  private struct Layout {
    /// The height of one of those who are counted, in pixels.
    let unit: Double
    let all: Int
    let columnCount: Int
    let start: Start
    var bands: [ChartMark] = []
    var bars: [ChartMark] = []
    private var labels: [Label] = []

    /// A label, with the middle of its bar.
    private struct Label {
      let branch: Branch
      let column: Int
      let middle: Double
    }

    init(of root: Branch, from start: Start) {
      unit = FlowDiagram.rootHeight / Double(root.count)
      all = root.count
      columnCount = root.columnCount
      self.start = start
    }

    private var columnWidth: Percent { Percent(100 / Double(columnCount)) }

    /// Returns the left edge of the bars of a column.
    private func x(_ column: Int) -> Percent {
      switch start {
      case .left: columnWidth * Double(column)
      case .right: 100 - columnWidth * Double(column) - FlowDiagram.barWidth
      }
    }

    /// Returns the height of a branch with those after it.
    func height(of branch: Branch) -> Double {
      let gaps = FlowDiagram.gap * Double(max(branch.branches.count - 1, 0))
      return max(Double(branch.count) * unit, branch.branches.reduce(gaps) { $0 + height(of: $1) })
    }

    /// Adds the marks of a branch and of those after it.
    ///
    /// - Parameter top: The upper edge of the space of the branch.
    /// - Returns: The upper edge of its bar.
    @discardableResult
    mutating func add(_ branch: Branch, column: Int, top: Double) -> Double {
      let barHeight = Double(branch.count) * unit
      let barTop = top + (height(of: branch) - barHeight) / 2
      bars.append(
        .area(
          x: x(column), width: FlowDiagram.barWidth, y: barTop, height: barHeight, ink: branch.ink,
          tip: "\(branch.label): \(value(of: branch))"))
      labels.append(Label(branch: branch, column: column, middle: barTop + barHeight / 2))
      let gaps = FlowDiagram.gap * Double(max(branch.branches.count - 1, 0))
      var childTop = top + (height(of: branch) - branch.branches.reduce(gaps) { $0 + height(of: $1) }) / 2
      var leaving = barTop
      for child in branch.branches {
        let arriving = add(child, column: column + 1, top: childTop)
        bands.append(band(from: leaving, to: arriving, height: Double(child.count) * unit, column: column))
        leaving += Double(child.count) * unit
        childTop += height(of: child) + FlowDiagram.gap
      }
      return barTop
    }

    /// Returns the band between a column and the next.
    ///
    /// - Parameters:
    ///   - from: The upper edge at the bar of the parent.
    ///   - to: The upper edge at the bar of the branch.
    private func band(from: Double, to: Double, height: Double, column: Int) -> ChartMark {
      let near = start == .left ? x(column) + FlowDiagram.barWidth : x(column)
      let far = start == .left ? x(column + 1) : x(column + 1) + FlowDiagram.barWidth
      let upper = (0...FlowDiagram.bandPieces).map { piece in
        let part = Double(piece) / Double(FlowDiagram.bandPieces)
        // A cubic that is level at both ends.
        let bend = part * part * (3 - 2 * part)
        return ChartPoint(x: near + (far - near) * part, y: from + (to - from) * bend)
      }
      return .band(upper + upper.reversed().map { ChartPoint(x: $0.x, y: $0.y + height) })
    }

    private func value(of branch: Branch) -> String {
      let share = HumanNumbers.percent(Double(branch.count) / Double(all))
      return "\(HumanNumbers.count(branch.count)) · \(share)"
    }

    /// The labels: on wide pages with their counts, on narrow ones as much of the name as fits.
    var texts: [ChartMark] {
      ChartDrawing.texts { pageWidth in
        let room = (columnWidth - FlowDiagram.barWidth).pixels(of: pageWidth) - 2 * FlowDiagram.labelDistance
        return labels.flatMap { label -> [ChartText] in
          let value = value(of: label.branch)
          if ChartDrawing.width(of: value) > room {
            return [text(ChartDrawing.fitted(label.branch.label, to: room), of: label, line: 0, role: .label)]
          }
          // Two lines need a bar as high as both.
          if Double(label.branch.count) * unit >= 2 * FlowDiagram.lineHeight {
            return [
              text(ChartDrawing.fitted(label.branch.label, to: room), of: label, line: -0.5, role: .label),
              text(value, of: label, line: 0.5, role: .value),
            ]
          }
          let count = " \(HumanNumbers.count(label.branch.count))"
          let name = ChartDrawing.fitted(label.branch.label, to: room - ChartDrawing.width(of: count))
          return [text(name + count, of: label, line: 0, role: .label)]
        }
      }
    }

    /// Returns a line of a label.
    ///
    /// - Parameter line: The distance of the line's middle from the middle of the bar, in lines.
    private func text(_ text: String, of label: Label, line: Double, role: ChartText.Role) -> ChartText {
      let y = label.middle + line * FlowDiagram.lineHeight + FlowDiagram.baseline
      return switch start {
      case .left:
        ChartText(text: text, x: x(label.column) + FlowDiagram.barWidth, y: y, dx: FlowDiagram.labelDistance, role: role)
      case .right:
        ChartText(text: text, x: x(label.column), y: y, dx: -FlowDiagram.labelDistance, anchor: .end, role: role)
      }
    }
  }
}
