package import FunnelModel

/// A table of rates in which the strength of a cell's color shows its rate. Absent rates leave the cell empty.
///
/// Rates of few groups have an asterisk and the weakest color, and do not count for the scale.
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
    let top = rates.filter { !$0.isOfFew }.map(\.value).max() ?? 0
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
        // The largest rates are often those of few groups. A strong color would show noise as the result.
        let share = top > 0 && !rate.isOfFew ? rate.value / top : 0
        drawing.marks.append(
          .shade(
            x: x(column), width: width * (1 - Self.columnGap), y: y, height: Self.rowHeight - Self.gap, ink: .good,
            strength: Self.strengthMin + (Self.strengthMax - Self.strengthMin) * share,
            tip: "\(row.name), \(columns[column]): \(Phrase.counted(rate).plainText)"))
      }
      drawing.marks += ChartDrawing.texts { pageWidth in
        let form = form(in: width, of: pageWidth)
        return row.rates.enumerated().compactMap { column, rate in
          guard let rate, form.fits(rate, in: width, of: pageWidth) else { return nil }
          return ChartText(
            text: form.text(of: rate), x: x(column) + width * 0.5, y: y + Self.baseline, anchor: .middle, role: .value)
        }
      }
    }
    return drawing
  }

  private var rates: [Rate] { rows.flatMap { $0.rates.compactMap(\.self) } }

  /// Returns the most exact form in which the text of each cell fits, or the shortest.
  private func form(in width: Percent, of pageWidth: Double) -> CellForm {
    CellForm.allCases.first { form in rates.allSatisfy { form.fits($0, in: width, of: pageWidth) } } ?? .number
  }
}

/// A form of a rate in a cell, the most exact first.
private enum CellForm: CaseIterable {
  /// As in tables, such as `14.2 %`.
  case exact
  /// Without decimals, such as `14 %`.
  case whole
  /// Without decimals and unit, such as `14`.
  case number

  /// Returns the text of a rate, with an asterisk if it is of few groups.
  func text(of rate: Rate) -> String {
    let text =
      switch self {
      case .exact: HumanNumbers.percent(rate.value)
      case .whole: HumanNumbers.wholePercent(rate.value) + " %"
      case .number: HumanNumbers.wholePercent(rate.value)
      }
    return text + rate.fewMark
  }

  /// Returns whether the text of a rate fits into a cell. The shortest text may fill it.
  func fits(_ rate: Rate, in width: Percent, of pageWidth: Double) -> Bool {
    let text = text(of: rate)
    if self == .number { return ChartDrawing.width(of: text) <= width.pixels(of: pageWidth) }
    return ChartDrawing.fits(text, in: width, of: pageWidth)
  }
}
