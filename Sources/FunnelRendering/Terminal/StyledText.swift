/// The role of a piece of text, which selects its color in a terminal.
package enum Ink: Hashable, Sendable {
  case plain, strong, faint, bar, loss, caution

  /// The parameter of the ANSI escape sequence for the ink, or `nil` for plain text. All are among the 16
  /// colors that every terminal supports.
  var code: StaticString? {
    switch self {
    case .plain: nil
    case .strong: "1"
    case .faint: "2"
    case .bar: "36"
    case .loss: "31"
    case .caution: "33"
    }
  }
}

/// A line, or part of one, in one or more inks.
package struct StyledText: Hashable, Sendable {
  /// A piece of text in one ink.
  struct Span: Hashable, Sendable {
    let text: TerminalText
    let ink: Ink
    /// The number of columns that the text occupies. It is stored because the layout of a table reads it many times.
    package let width: Int

    package init(text: TerminalText, ink: Ink) {
      self.text = text
      self.ink = ink
      width = text.displayWidth
    }
  }

  private(set) var spans: [Span]

  package init(_ text: TerminalText = "", _ ink: Ink = .plain) {
    spans = [Span(text: text, ink: ink)]
  }

  static func + (lhs: StyledText, rhs: StyledText) -> StyledText {
    var result = lhs
    result.spans += rhs.spans
    return result
  }

  static func += (lhs: inout StyledText, rhs: StyledText) { lhs.spans += rhs.spans }

  /// The number of columns that the text occupies.
  package var width: Int { spans.reduce(0) { $0 + $1.width } }

  /// The number of leading blanks.
  var leadingBlanks: Int {
    var count = 0
    for span in spans {
      let blanks = span.text.text.prefix { $0 == " " }.count
      count += blanks
      if blanks < span.text.text.count { break }
    }
    return count
  }

  /// Returns the text truncated to a number of columns, with an ellipsis if it was longer.
  func fitted(to columns: Int, ellipsis: TerminalText) -> StyledText {
    guard width > columns else { return self }
    var result = StyledText()
    var remaining = columns - ellipsis.displayWidth
    guard remaining >= 0 else { return StyledText(ellipsis.prefix(columns: columns)) }
    for span in spans {
      guard span.width > remaining else {
        result.spans.append(span)
        remaining -= span.width
        continue
      }
      result.spans += [Span(text: span.text.prefix(columns: remaining), ink: span.ink), Span(text: ellipsis, ink: span.ink)]
      break
    }
    assert(result.width <= columns, "a truncated text fits")
    return result
  }

  /// The side of a column at which its texts stand.
  enum Alignment {
    case left, right
  }

  /// Returns the text padded with blanks to a number of columns.
  func padded(to columns: Int, _ alignment: Alignment = .left) -> StyledText {
    let blanks = StyledText(TerminalText(" ").repeated(columns - width))
    switch alignment {
    case .left: return self + blanks
    case .right: return blanks + self
    }
  }

  /// The words of the text, split at its blanks. A word may have several inks.
  var words: [StyledText] {
    var words = [StyledText()]
    for span in spans {
      for (index, part) in span.text.partsBetweenBlanks.enumerated() {
        if index > 0 { words.append(StyledText()) }
        words[words.count - 1] += StyledText(part, span.ink)
      }
    }
    return words.filter { $0.width > 0 }
  }

  /// The text without trailing blanks.
  var withoutTrailingBlanks: StyledText {
    var result = self
    while let last = result.spans.last {
      let text = last.text.withoutTrailingBlanks
      result.spans[result.spans.count - 1] = Span(text: text, ink: last.ink)
      guard text.text.isEmpty, result.spans.count > 1 else { break }
      result.spans.removeLast()
    }
    return result
  }

  /// Returns the text for output, with ANSI escape sequences only if `color` is `true`.
  func rendered(color: Bool) -> String {
    var result = ""
    var ink = Ink.plain
    for span in spans where !span.text.text.isEmpty {
      if color, span.ink != ink {
        if ink != .plain { result += "\u{1B}[0m" }
        if let code = span.ink.code { result += "\u{1B}[\(code)m" }
        ink = span.ink
      }
      result += span.text.text
    }
    return ink == .plain ? result : result + "\u{1B}[0m"
  }
}
