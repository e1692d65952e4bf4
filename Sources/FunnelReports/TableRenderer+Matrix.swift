extension TableRenderer {
  /// One segment of a matrix of steps and segments.
  struct MatrixColumn {
    var title: StyledText
    var cells: [TableGrid.Cell]
  }

  private static let titleColumnsMax = 18
  /// Segments that are tried; no terminal has room for more.
  private static let segmentsMax = 32

  /// Prints steps by segments, as many segments as fit, the largest first.
  mutating func printMatrix(title: TerminalText, labels: [StyledText], columns: [MatrixColumn]) {
    guard !labels.isEmpty, !columns.isEmpty else { return }
    let tried = columns.prefix(Self.segmentsMax)
    var grid = TableGrid([.init(title, kind: .label)])
    for (index, column) in tried.enumerated() {
      let title = column.title.fitted(to: Self.titleColumnsMax, ellipsis: glyphs.ellipsis)
      grid.columns.append(.init(title.spans.map(\.text).reduce("", +), rank: index))
    }
    for (index, label) in labels.enumerated() {
      grid.rows.append([.text(label)] + tried.map { index < $0.cells.count ? $0.cells[index] : .empty })
    }
    let fit = printGrid(grid)
    let left = columns.count - fit.indices.count + 1
    guard left > 0 else { return }
    let segments: TerminalText = left == 1 ? "1 smaller segment" : "\(HumanNumbers.count(left)) smaller segments"
    printSentence("no room for \(segments): --format csv has all", mark: StyledText("  "), ink: .faint)
  }
}
