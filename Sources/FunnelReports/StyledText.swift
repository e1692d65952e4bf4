/// What a piece of text is, so that a terminal with colours can show it.
enum Ink: Hashable, Sendable {
  case plain, strong, faint, bar, loss, caution

  /// Parameters of the ANSI escape that selects the ink: of the 16 colours every terminal has.
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

/// A line, or a piece of one, in several inks.
struct StyledText: Hashable, Sendable {
  struct Span: Hashable, Sendable {
    var text: TerminalText
    var ink: Ink
  }

  private(set) var spans: [Span]

  init(_ text: TerminalText = "", _ ink: Ink = .plain) {
    spans = [Span(text: text, ink: ink)]
  }

  static func + (lhs: StyledText, rhs: StyledText) -> StyledText {
    var result = lhs
    result.spans += rhs.spans
    return result
  }

  static func += (lhs: inout StyledText, rhs: StyledText) { lhs.spans += rhs.spans }

  /// Columns the text takes.
  var width: Int { spans.reduce(0) { $0 + $1.text.displayWidth } }

  /// The text cut to so many columns, the cut marked.
  func fitted(to columns: Int, ellipsis: TerminalText) -> StyledText {
    guard width > columns else { return self }
    var result = StyledText()
    var rest = columns - ellipsis.displayWidth
    guard rest >= 0 else { return StyledText(ellipsis.prefix(columns: columns)) }
    for span in spans {
      let kept = span.text.prefix(columns: rest)
      result.spans.append(Span(text: kept, ink: span.ink))
      rest -= kept.displayWidth
      if kept != span.text {
        result.spans.append(Span(text: ellipsis, ink: span.ink))
        break
      }
    }
    return result
  }

  /// The text with blanks up to so many columns, before or behind it.
  func padded(to columns: Int, trailing: Bool = false) -> StyledText {
    let blanks = StyledText(TerminalText(" ").repeated(columns - width))
    return trailing ? blanks + self : self + blanks
  }

  /// The text without blanks at its end.
  var withoutTrailingBlanks: StyledText {
    var result = self
    while let last = result.spans.last {
      let text = last.text.withoutTrailingBlanks
      result.spans[result.spans.count - 1].text = text
      guard text.text.isEmpty, result.spans.count > 1 else { break }
      result.spans.removeLast()
    }
    return result
  }

  /// The text as it is printed; escape sequences stand only where colour is wanted.
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
