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
    let text: TerminalText
    let ink: Ink
    /// Columns the text takes; measured once, as every table asks for it many times.
    let width: Int

    init(text: TerminalText, ink: Ink) {
      self.text = text
      self.ink = ink
      width = text.displayWidth
    }
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
  var width: Int { spans.reduce(0) { $0 + $1.width } }

  /// Blanks it begins with.
  var leadingBlanks: Int {
    var count = 0
    for span in spans {
      let blanks = span.text.text.prefix { $0 == " " }.count
      count += blanks
      if blanks < span.text.text.count { break }
    }
    return count
  }

  /// The text cut to so many columns, the cut marked.
  func fitted(to columns: Int, ellipsis: TerminalText) -> StyledText {
    guard width > columns else { return self }
    var result = StyledText()
    var rest = columns - ellipsis.displayWidth
    guard rest >= 0 else { return StyledText(ellipsis.prefix(columns: columns)) }
    for span in spans {
      guard span.width > rest else {
        result.spans.append(span)
        rest -= span.width
        continue
      }
      result.spans += [Span(text: span.text.prefix(columns: rest), ink: span.ink), Span(text: ellipsis, ink: span.ink)]
      break
    }
    return result
  }

  /// The text with blanks up to so many columns, before or behind it.
  func padded(to columns: Int, trailing: Bool = false) -> StyledText {
    let blanks = StyledText(TerminalText(" ").repeated(columns - width))
    return trailing ? blanks + self : self + blanks
  }

  /// The words of the text, cut at its blanks; a word may have several inks.
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

  /// The text without blanks at its end.
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
