package import FunnelModel

/// A table of rates in which the strength of a cell's color shows its rate. Absent rates leave the cell empty.
package struct ShadingChart {
  /// One row of cells.
  package struct Row {
    /// The label at the left.
    let name: String
    /// The rates in the order of the columns.
    let rates: [Rate?]

    package init(name: String, rates: [Rate?]) {
      self.name = name
      self.rates = rates
    }
  }

  /// The labels of the columns.
  let columns: [String]
  let rows: [Row]

  /// Creates a chart. Each row has a rate for each column.
  package init(columns: [String], rows: [Row]) {
    precondition(!columns.isEmpty && rows.allSatisfy { $0.rates.count == columns.count }, "a row has a cell for each column")
    self.columns = columns
    self.rows = rows
  }
}

extension ShadingChart {
  private static let headerHeight = 20.0
  private static let rowHeight = 24.0
  /// The distance of the baseline of a text from the top of its row, in pixels.
  private static let baseline = 16.0
  /// The share of the width that the labels of rows take.
  private static let labelWidth = Percent(28)
  /// The space between two cells, in pixels vertically and as a share of a cell horizontally.
  private static let gap = 2.0
  private static let columnGap = 0.04
  /// The strength of the color of the smallest rate, which distinguishes it from an empty cell.
  private static let strengthMin = 0.06
  /// The largest strength. Labels on the cells stay readable.
  private static let strengthMax = 0.6

  /// The marks: the labels of rows and columns, and a shaded cell with its percentage, where it fits, for each rate.
  var drawing: ChartDrawing {
    var drawing = ChartDrawing(height: Self.headerHeight + Self.rowHeight * Double(rows.count))
    let width = Percent((100 - Self.labelWidth.value) / Double(columns.count))
    let top = rows.flatMap { $0.rates.compactMap { $0?.value } }.max() ?? 0
    func x(_ column: Int) -> Percent { Self.labelWidth + width * Double(column) }
    drawing.marks += ChartDrawing.texts { pageWidth in
      columns.enumerated().compactMap { column, name in
        guard ChartDrawing.fits(name, in: width, of: pageWidth) else { return nil }
        return ChartText(
          text: name, x: x(column) + width * 0.5, y: Self.baseline, anchor: .middle, role: .axis)
      }
    }
    for (index, row) in rows.enumerated() {
      let y = Self.headerHeight + Self.rowHeight * Double(index)
      drawing.marks.append(.text(ChartText(text: row.name, x: 0, y: y + Self.baseline, role: .axis)))
      for (column, rate) in row.rates.enumerated() {
        guard let rate else { continue }
        let share = top > 0 ? rate.value / top : 0
        drawing.marks.append(
          .shade(
            x: x(column), width: width * (1 - Self.columnGap), y: y, height: Self.rowHeight - Self.gap, ink: .good,
            strength: Self.strengthMin + (Self.strengthMax - Self.strengthMin) * share,
            tip: "\(row.name), \(columns[column]): \(Phrase.counted(rate).plainText)"))
      }
      drawing.marks += ChartDrawing.texts { pageWidth in
        row.rates.enumerated().compactMap { column, rate in
          guard let rate else { return nil }
          let text = HumanNumbers.percent(rate.value)
          guard ChartDrawing.fits(text, in: width, of: pageWidth) else { return nil }
          return ChartText(
            text: text, x: x(column) + width * 0.5, y: y + Self.baseline, anchor: .middle, role: .value)
        }
      }
    }
    return drawing
  }
}
