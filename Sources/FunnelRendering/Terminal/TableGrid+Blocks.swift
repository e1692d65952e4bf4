extension TableGrid {
  /// A table that is printed in one block, with the widths of its columns.
  struct Block {
    var grid: TableGrid
    var fit: Fit
  }

  /// Returns the table in blocks. Columns that do not fit into the first block follow in further blocks with
  /// the same labels.
  ///
  /// Further blocks have no bars, because the numbers of the bars are printed.
  func blocks(width: Int) -> [Block] {
    let first = fit(width: width)
    let others = first.dropped.filter { columns[$0].kind != .bar }
    let block = Block(grid: self, fit: first)
    return others.isEmpty ? [block] : [block] + continued(with: others).packed(width: width)
  }

  /// Returns the table's columns from left to right in blocks, each with as many columns as fit.
  ///
  /// The time is proportional to the number of cells, so this suits a table with one column for each of many
  /// segments.
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

  /// Returns the number of columns from `start` that fit into `room` terminal columns.
  private func count(from start: Int, _ cells: [Int], room: Int, isStacked: Bool) -> Int {
    var room = room
    let end = columns.indices[start...].first { index in
      let natural = naturalWidth(of: index, cells, isStacked: isStacked)
      room -= Self.columnGap + (columns[index].kind == .words ? min(natural, Self.wordsMin) : natural)
      return room < 0
    }
    return (end ?? columns.count) - start
  }

  /// Returns a table of the labels and some columns, with titles that are clear without the neighboring columns.
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

  /// Returns a table of the labels and some columns, all with rank 0. Detail rows without a cell in these
  /// columns are omitted.
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
