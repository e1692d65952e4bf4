extension TableGrid {
  /// The table's lines, titles first.
  func lines(_ fit: Fit, glyphs: Glyphs) -> [StyledText] {
    let marked = Set(fit.indices.filter { hasFewMark(in: [$0]) })
    return titleLines(fit, marked: marked, glyphs: glyphs) + rows.flatMap { lines(of: $0, fit, marked: marked, glyphs: glyphs) }
  }

  private func titleLines(_ fit: Fit, marked: Set<Int>, glyphs: Glyphs) -> [StyledText] {
    let titles = fit.indices.map { titleLines(of: $0, among: fit.indices, isStacked: fit.isStacked) }
    let height = titles.map(\.count).max() ?? 0
    return (0..<height).map { line in
      var result = StyledText()
      for (position, index) in fit.indices.enumerated() {
        let own = titles[position]
        let missing = height - own.count
        var title = StyledText(line < missing ? "" : own[line - missing], .faint)
        if marked.contains(index), title.width < fit.widths[position] { title += StyledText(" ") }
        let isTrailing = columns[index].kind == .number
        result += StyledText(TerminalText(" ").repeated(gap(before: position, in: fit.indices)))
        let fitted = title.fitted(to: fit.widths[position], ellipsis: glyphs.ellipsis)
        result += fitted.padded(to: fit.widths[position], trailing: isTrailing)
      }
      return result
    }
  }

  private func lines(of row: [Cell], _ fit: Fit, marked: Set<Int>, glyphs: Glyphs) -> [StyledText] {
    let cells = fit.indices.enumerated().map { position, index in
      lines(of: row[index], width: fit.widths[position], hasMarkColumn: marked.contains(index), glyphs: glyphs)
    }
    let height = cells.map(\.count).max() ?? 0
    return (0..<height).map { line in
      var result = StyledText()
      for (position, index) in fit.indices.enumerated() {
        let text = line < cells[position].count ? cells[position][line] : StyledText()
        result += StyledText(TerminalText(" ").repeated(gap(before: position, in: fit.indices)))
        result += text.padded(to: fit.widths[position], trailing: columns[index].kind == .number)
      }
      return result
    }
  }

  private func lines(of cell: Cell, width: Int, hasMarkColumn: Bool, glyphs: Glyphs) -> [StyledText] {
    switch cell {
    case .text(let text):
      return [text.fitted(to: width, ellipsis: glyphs.ellipsis)]
    case .rate(let text, let few):
      guard hasMarkColumn else { return [text] }
      if text.width == 0 { return [StyledText()] }
      return [text + (few ? StyledText("*", .caution) : StyledText(" "))]
    case .bar(let share, let isLight, let ink):
      return [StyledText(glyphs.bar(share, columns: width, isLight: isLight), ink)]
    case .words(let items):
      return items.wrapped(to: width, separator: StyledText(", "), atBreak: StyledText(",")).map {
        $0.fitted(to: width, ellipsis: glyphs.ellipsis)
      }
    }
  }
}

extension [StyledText] {
  /// The items in lines of at most so many columns, where each fits.
  ///
  /// - Parameter atBreak: What is left of the separator where a line ends.
  func wrapped(to width: Int, separator: StyledText, atBreak: StyledText = StyledText()) -> [StyledText] {
    var lines: [StyledText] = []
    var line = first ?? StyledText()
    for (index, item) in enumerated().dropFirst() {
      let tail = index + 1 < count ? atBreak.width : 0
      if line.width + separator.width + item.width + tail > width {
        lines.append(line + atBreak)
        line = item
      } else {
        line += separator + item
      }
    }
    return lines + [line]
  }
}
