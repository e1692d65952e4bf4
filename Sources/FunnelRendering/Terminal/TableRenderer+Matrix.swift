extension TableRenderer {
  /// The maximum width of a title line above numbers. A wider title is wrapped.
  private static let titleColumnsMax = 18
  /// The width of a title that is wrapped so that more numbers fit side by side.
  private static let titleColumnsNarrow = 9
  /// The maximum number of lines of a value in a title.
  private static let titleLinesMax = 3

  /// Prints a matrix. If it does not fit, it is divided into blocks, or transposed if that needs fewer blocks.
  mutating func printMatrix(_ matrix: DocumentMatrix) {
    guard !matrix.labels.isEmpty, !matrix.columns.isEmpty else { return }
    let labels = matrix.labels.map { styled($0) }
    let columns = matrix.columns.map { column in
      (title: segmentValues(column.segment), cells: column.cells.map { gridCell($0) })
    }
    var upright = TableGrid([.init("\(matrix.title)", kind: .label)])
    upright.columns += columns.map { titled($0.title, joined: joined($0.title), narrow: Self.titleColumnsMax) }
    for (index, label) in labels.enumerated() {
      upright.rows.append([.text(label)] + columns.map { $0.cells[index] })
    }
    let blocks = upright.packed(width: style.width)
    guard blocks.count > 1 else { return printBlocks(blocks) }
    var turned = TableGrid([.init("\(matrix.title)", kind: .label)])
    turned.columns += labels.map { titled([$0], joined: $0, narrow: Self.titleColumnsNarrow) }
    for column in columns {
      turned.rows.append(
        [.text(joined(column.title))] + column.cells)
    }
    let turnedBlocks = turned.packed(width: style.width)
    printBlocks(turnedBlocks.count < blocks.count ? turnedBlocks : blocks)
  }

  /// Returns a column of numbers for a segment or a step.
  private func titled(_ values: [StyledText], joined: StyledText, narrow: Int) -> TableGrid.Column {
    func lines(_ width: Int) -> [TerminalText] { values.flatMap { titleLines(of: $0, width: width) } }
    var column = TableGrid.Column(joined.plain, stacked: lines(narrow))
    if joined.width > Self.titleColumnsMax { column.titleLines = lines(Self.titleColumnsMax) }
    return column
  }

  private func titleLines(of value: StyledText, width: Int) -> [TerminalText] {
    var lines = value.words.wrapped(to: width, separator: StyledText(" "))
    if lines.count > Self.titleLinesMax {
      lines = Array(lines.prefix(Self.titleLinesMax))
      lines[Self.titleLinesMax - 1] += StyledText(glyphs.ellipsis)
    }
    return lines.map { $0.fitted(to: Self.titleColumnsMax, ellipsis: glyphs.ellipsis).plain }
  }
}

extension StyledText {
  /// The text without its inks.
  var plain: TerminalText { spans.reduce("") { $0 + $1.text } }
}
