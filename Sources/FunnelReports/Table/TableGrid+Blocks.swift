extension TableGrid {
  /// Columns that stand side by side, and how wide each is.
  struct Block {
    var grid: TableGrid
    var fit: Fit
  }

  /// The table in blocks: what has no room in the first one follows in others behind the same labels, so that no number is lost.
  ///
  /// Bars alone go without, as the numbers they draw stay.
  func blocks(width: Int) -> [Block] {
    let first = fit(width: width)
    let rest = first.left.filter { columns[$0].kind != .bar }
    let block = Block(grid: self, fit: first)
    return rest.isEmpty ? [block] : [block] + continued(with: rest).packed(width: width)
  }

  /// The table's columns from left to right, in blocks of as many as fit.
  ///
  /// Takes time in proportion to the cells, so that it suits a table with a column for each of many segments.
  func packed(width: Int) -> [Block] {
    let cells = columns.indices.map { cellWidth(of: $0) }
    let label = min(naturalWidth(of: 0, cells, isStacked: true), labelAmple(width: width))
    var blocks: [Block] = []
    var start = 1
    while start < columns.count {
      let counts = [true, false].map { count(from: start, cells, room: width - Self.indent - label, isStacked: $0) }
      let end = start + max(counts[0], counts[1], 1)
      blocks += selecting(Array(start..<end)).blocks(width: width)
      start = end
    }
    return blocks
  }

  /// How many columns from one on stand in so much room.
  private func count(from start: Int, _ cells: [Int], room: Int, isStacked: Bool) -> Int {
    var room = room
    let end = columns.indices[start...].first { index in
      let natural = naturalWidth(of: index, cells, isStacked: isStacked)
      room -= Self.columnGap + (columns[index].kind == .words ? min(natural, Self.wordsMin) : natural)
      return room < 0
    }
    return (end ?? columns.count) - start
  }

  /// The labels and some columns, with titles that are clear without their neighbours.
  private func continued(with indices: [Int]) -> TableGrid {
    var result = selecting(indices)
    for (position, index) in indices.enumerated() {
      if let alone = columns[index].titleAlone {
        result.columns[position + 1].titleLines = [alone.joined()]
        result.columns[position + 1].stackedTitle = alone.lines
      } else if followsBar(index) {
        result.columns[position + 1].titleLines = columns[index - 1].titleLines
        result.columns[position + 1].stackedTitle = columns[index - 1].stackedTitle
      }
    }
    return result
  }

  /// The labels and some columns, all of them needed; of the details those that say something in one of these columns.
  private func selecting(_ indices: [Int]) -> TableGrid {
    var result = TableGrid([columns[0]] + indices.map { columns[$0] })
    for index in result.columns.indices { result.columns[index].rank = 0 }
    for (position, row) in rows.enumerated() {
      let isDetail = details.contains(position)
      guard !isDetail || indices.contains(where: { row[$0].naturalWidth > 0 }) else { continue }
      if isDetail { result.details.insert(result.rows.count) }
      result.rows.append([row[0]] + indices.map { row[$0] })
    }
    return result
  }
}
