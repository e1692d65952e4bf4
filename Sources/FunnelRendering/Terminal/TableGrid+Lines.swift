extension TableGrid {
  /// Returns the table's lines, titles first.
  func lines(_ fit: Fit, glyphs: Glyphs) -> [StyledText] {
    precondition(rows.allSatisfy { $0.count == columns.count }, "each row has a cell for each column")
    let marked = Set(fit.indices.filter { hasFewMark(in: [$0]) })
    return titleLines(fit, marked: marked, glyphs: glyphs) + rows.flatMap { lines(of: $0, fit, marked: marked, glyphs: glyphs) }
  }

  /// Returns the lines of a column's title. Only that of the labels is wrapped. A number column is wide enough for its title.
  private func title(of column: Fit.Column) -> [StyledText] {
    let lines = column.title.map { StyledText($0, .faint) }
    guard columns[column.index].kind == .label else { return lines }
    return lines.flatMap { $0.words.wrapped(to: column.width, separator: StyledText(" ", .faint)) }
  }

  private func titleLines(_ fit: Fit, marked: Set<Int>, glyphs: Glyphs) -> [StyledText] {
    let titles = fit.columns.map { title(of: $0) }
    let height = titles.map(\.count).max() ?? 0
    // Titles of fewer lines than others stand at the bottom.
    let texts = zip(fit.columns, titles).map { column, title in
      let blank = Array(repeating: StyledText(), count: height - title.count)
      return (blank + title).map { line in
        let needsMark = marked.contains(column.index) && line.width < column.width
        return (needsMark ? line + StyledText(" ") : line).fitted(to: column.width, ellipsis: glyphs.ellipsis)
      }
    }
    return joined(texts, fit)
  }

  private func lines(of row: [Cell], _ fit: Fit, marked: Set<Int>, glyphs: Glyphs) -> [StyledText] {
    let texts = fit.columns.map { column in
      if case .text(let text) = row[column.index], columns[column.index].kind == .label {
        labelLines(of: text, width: column.width, glyphs: glyphs)
      } else {
        lines(of: row[column.index], width: column.width, hasMarkColumn: marked.contains(column.index), glyphs: glyphs)
      }
    }
    return joined(texts, fit)
  }

  /// Returns the lines of columns side by side. Columns with fewer lines than others are padded at their end.
  private func joined(_ texts: [[StyledText]], _ fit: Fit) -> [StyledText] {
    let height = texts.map(\.count).max() ?? 0
    return (0..<height).map { line in
      var result = StyledText()
      for (column, lines) in zip(fit.columns, texts) {
        let text = line < lines.count ? lines[line] : StyledText()
        result += StyledText(TerminalText(" ").repeated(column.gap))
        result += text.padded(to: column.width, columns[column.index].kind.alignment)
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
