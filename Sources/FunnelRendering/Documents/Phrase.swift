package import FunnelModel

/// A text of words and numbers, each with its emphasis.
///
///     Phrase("of ") + .count(1_234, "people") + Phrase([.arrow(.faint), .share(0.625, of: 1_234, .strong)])
package struct Phrase {
  /// A piece of a phrase.
  package enum Part {
    case text(String, Emphasis)
    /// A share of a number of groups.
    case share(Double, of: Int, Emphasis)
    /// The bounds of a rate's 95 % interval.
    case interval(Rate)
    /// An arrow between two words.
    case arrow(Emphasis)
    /// The values of a segment.
    case segment([PropertyValue])
    /// The sign for an absent value.
    case absent
    /// A bar for each of several values, one character wide, and a dot for each of those that are not final yet.
    case sparkline([Double?], open: Int)
  }

  private(set) var parts: [Part]

  package init(_ text: String = "", _ emphasis: Emphasis = .plain) {
    parts = [.text(text, emphasis)]
  }

  package init(_ parts: [Part]) {
    self.parts = parts
  }

  package static func + (left: Phrase, right: Phrase) -> Phrase { Phrase(left.parts + right.parts) }
}

extension Phrase {
  /// Returns a count followed by words.
  package static func count(_ count: Int, _ words: String, _ emphasis: Emphasis = .plain) -> Phrase {
    Phrase("\(HumanNumbers.count(count)) \(words)", emphasis)
  }

  /// Returns a rate, followed by words and its interval.
  package static func rate(_ rate: Rate?, _ words: String) -> Phrase {
    guard let rate else { return Phrase([.absent, .text(" \(words)", .plain)]) }
    return Phrase([
      .share(rate.value, of: rate.denominator, .strong), .text(" \(words) (95 % interval ", .plain), .interval(rate),
      .text(")", .plain),
    ])
  }
}

/// The weight of a word or a number.
package enum Emphasis: Hashable, Sendable {
  case plain, strong, faint
  /// The largest of several losses.
  case loss
}

/// The number of groups below which a share is marked. Near 50 %, the interval of such a share is wider than 33
/// points.
package let fewGroupsMax = 30

extension Rate {
  /// Whether the rate is of few groups.
  var isOfFew: Bool { denominator < fewGroupsMax }
  /// The asterisk after a rate of few groups. Empty for any other.
  var fewMark: String { isOfFew ? "*" : "" }
}

extension Phrase {
  /// The phrase as text without emphasis. An asterisk marks a share of few groups.
  package var plainText: String {
    parts.reduce(into: "") { text, part in
      switch part {
      case .text(let words, _): text += words
      case .share(let share, let groups, _): text += HumanNumbers.percent(share) + (groups < fewGroupsMax ? "*" : "")
      case .interval(let rate):
        let (low, high) = HumanNumbers.interval(rate)
        text += "\(low)–\(high) %"
      case .arrow: text += "→"
      case .segment(let values):
        text += values.map { $0 == .null ? "(none)" : $0.segmentLabel }.joined(separator: " · ")
      case .absent: text += "–"
      case .sparkline(let values, let open):
        text += Glyphs.unicode.sparkline(values).text + String(repeating: "·", count: open)
      }
    }
  }
}

extension PropertyValue {
  /// The value as a segment label. A string that is empty or only white space is quoted, so that it is visible.
  package var segmentLabel: String {
    if self == .null { return "(none)" }
    guard case .string(let text) = self, text.unicodeScalars.allSatisfy(\.properties.isWhitespace) else { return description }
    return "\"\(text)\""
  }
}
