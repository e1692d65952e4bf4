import FunnelModel

/// A renderer that writes cells and phrases as markup in lines of text: Markdown or HTML.
protocol MarkupRenderer {
  /// The rule that escapes the markup language.
  associatedtype Rule: EscapeRule
  typealias Markup = Escaped<Rule>

  /// Whether a share of few groups was marked. The mark is then explained below the tables.
  var hasMarkedFew: Bool { get set }

  /// The mark of a share of few groups.
  static var fewMark: Markup { get }
  /// The value of a segment that has none.
  static var noValue: Markup { get }
  /// The note after the name of an optional step.
  static var optionalNote: Markup { get }

  /// Returns a text that cannot affect the text around it.
  static func isolated(_ text: String) -> Markup
  /// Returns a text with its emphasis, which a format may ignore.
  static func emphasized(_ text: Markup, _ emphasis: Emphasis) -> Markup
  /// Returns a label that is linked to a URL, if the format has such links.
  static func linked(_ label: Markup, to target: String) -> Markup
  /// Returns the mark of a footnote after a label.
  static func mark(ofFootnote number: Int) -> Markup
  /// Returns the values of a segment.
  func values(of segment: [PropertyValue]) -> [Markup]
}

extension MarkupRenderer {
  static func linked(_ label: Markup, to target: String) -> Markup { label }

  private static var absent: Markup { "–" }

  /// Returns the content of a cell.
  mutating func text(_ cell: DocumentCell) -> Markup {
    switch cell {
    case .empty: ""
    case .label(let label): text(label)
    case .count(let count, _): count.map { "\(HumanNumbers.count($0))" } ?? Self.absent
    case .share(let share, let groups, _): self.share(share, of: groups)
    case .interval(let rate): rate.map { interval($0) } ?? Self.absent
    case .rateOfGroups(let rate, let groups):
      share(rate?.value, of: rate?.denominator) + " of \(HumanNumbers.count(groups))"
    case .duration(let milliseconds, _): milliseconds.map { "\(HumanNumbers.duration(milliseconds: $0))" } ?? Self.absent
    case .items(let items): items.isEmpty ? Self.absent : items.map { text($0) }.joined(separator: ", ")
    case .text(let text, _): Self.isolated(text)
    case .bar(_, let number), .linked(_, let number): text(number)
    }
  }

  private mutating func text(_ label: DocumentCell.Label) -> Markup {
    let name = text(label.phrase)
    var result = ("↳ " as Markup).repeated(label.depth) + (label.target.map { Self.linked(name, to: $0) } ?? name)
    if label.isOptional { result += " " + Self.optionalNote }
    if let footnote = label.footnote { result += " " + Self.mark(ofFootnote: footnote) }
    return result
  }

  /// Returns a phrase with its emphasis.
  mutating func text(_ phrase: Phrase) -> Markup {
    phrase.parts.map { part -> Markup in
      switch part {
      case .text(let words, let emphasis): return Self.emphasized(Self.isolated(words), emphasis)
      case .share(let value, let groups, let emphasis): return Self.emphasized(share(value, of: groups), emphasis)
      case .interval(let rate): return interval(rate)
      case .arrow: return "→"
      case .segment(let segment):
        let values = values(of: segment)
        return values.isEmpty ? "all" : values.joined(separator: " · ")
      case .absent: return Self.absent
      case .sparkline(let values, let open):
        return "\(Glyphs.unicode.sparkline(values).text)\(String(repeating: "·", count: open))"
      }
    }.joined()
  }

  /// Returns the value of a segment at the index of a dimension.
  func value(of segment: [PropertyValue], at index: Int) -> Markup {
    guard index < segment.count, segment[index] != .null else { return Self.noValue }
    return Self.isolated(segment[index].segmentLabel)
  }

  private mutating func share(_ share: Double?, of groups: Int?) -> Markup {
    guard let share, share.isFinite else { return Self.absent }
    let text: Markup = "\(HumanNumbers.percent(share))"
    guard let groups, groups < fewGroupsMax else { return text }
    hasMarkedFew = true
    return text + Self.fewMark
  }

  private func interval(_ rate: Rate) -> Markup {
    let (low, high) = HumanNumbers.interval(rate)
    return "\(low)–\(high) %"
  }
}
