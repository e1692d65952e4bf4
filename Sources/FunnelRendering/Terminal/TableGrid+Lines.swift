extension TableGrid {
  /// Returns the table's lines, titles first.
  func lines(_ fit: Fit, glyphs: Glyphs) -> [StyledText] {
    precondition(fit.widths.count == fit.indices.count, "each column has a width")
    precondition(rows.allSatisfy { $0.count == columns.count }, "each row has a cell for each column")
    let marked = Set(fit.indices.filter { hasFewMark(in: [$0]) })
    return titleLines(fit, marked: marked, glyphs: glyphs) + rows.flatMap { lines(of: $0, fit, marked: marked, glyphs: glyphs) }
  }

  /// Returns the lines of each column's title. Only that of the labels is wrapped. A number column is wide
  /// enough for its title.
  private func titles(_ fit: Fit) -> [[StyledText]] {
    fit.indices.enumerated().map { position, index in
      let lines = titleLines(of: index, among: fit.indices, isStacked: fit.isStacked).map { StyledText($0, .faint) }
      guard columns[index].kind == .label else { return lines }
      return lines.flatMap { $0.words.wrapped(to: fit.widths[position], separator: StyledText(" ", .faint)) }
    }
  }

  private func titleLines(_ fit: Fit, marked: Set<Int>, glyphs: Glyphs) -> [StyledText] {
    let titles = titles(fit)
    let height = titles.map(\.count).max() ?? 0
    return (0..<height).map { line in
      var result = StyledText()
      for (position, index) in fit.indices.enumerated() {
        let own = titles[position]
        let missing = height - own.count
        var title = line < missing ? StyledText() : own[line - missing]
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
      if case .text(let text) = row[index], columns[index].kind == .label {
        labelLines(of: text, width: fit.widths[position], glyphs: glyphs)
      } else {
        lines(of: row[index], width: fit.widths[position], hasMarkColumn: marked.contains(index), glyphs: glyphs)
      }
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

  /// The maximum number of lines of a label. Longer labels are truncated.
  private static let labelLinesMax = 3

  /// Returns a label wrapped into lines. Wrapping is preferred because two truncated labels may look the same.
  private func labelLines(of label: StyledText, width: Int, glyphs: Glyphs) -> [StyledText] {
    guard label.width > width else { return [label] }
    let indent = StyledText().padded(to: label.leadingBlanks)
    let lines = label.words.wrapped(to: width - indent.width, separator: StyledText(" "))
    let kept = lines.prefix(Self.labelLinesMax - 1)
    let remainder = lines.dropFirst(kept.count)
    // The remainder becomes one line, so that truncation shows an ellipsis.
    let last = remainder.isEmpty ? [] : [Array(remainder).joined(separator: StyledText(" "))]
    return (kept + last).map { (indent + $0).fitted(to: width, ellipsis: glyphs.ellipsis) }
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
  /// Returns the texts joined, with a separator between any two of them.
  func joined(separator: StyledText) -> StyledText {
    dropFirst().reduce(first ?? StyledText()) { $0 + separator + $1 }
  }

  /// Returns the items in lines of at most `width` columns. An item that is wider than a line is wrapped at its
  /// blanks.
  ///
  /// - Parameter atBreak: The part of the separator that is kept at the end of a line.
  func wrapped(to width: Int, separator: StyledText, atBreak: StyledText = StyledText()) -> [StyledText] {
    var lines: [StyledText] = []
    var line: StyledText?
    for (index, item) in enumerated() {
      let tail = index + 1 < count ? atBreak.width : 0
      let pieces = item.width + tail > width ? item.words : [item]
      for (position, piece) in pieces.enumerated() {
        let gap = position == 0 ? separator : StyledText(" ")
        let end = position + 1 == pieces.count ? tail : 0
        guard let current = line else {
          line = piece
          continue
        }
        if current.width + gap.width + piece.width + end > width {
          lines.append(position == 0 ? current + atBreak : current)
          line = piece
        } else {
          line = current + gap + piece
        }
      }
    }
    return lines + [line ?? StyledText()]
  }
}
