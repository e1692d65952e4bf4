import FunnelModel
import FunnelProjections

/// A block of a document, such as a table or a sentence.
enum DocumentBlock {
  /// A line of facts.
  case facts([Phrase])
  /// A line of facts that belongs to the table above it.
  case factsOfTable([Phrase])
  case table(DocumentTable)
  case matrix(DocumentMatrix)
  /// A prominent warning, without a final full stop.
  case warning(String)
  /// A conclusion from the numbers, without a full stop.
  case statement(String)
  /// An explanation of the table above it, without a full stop.
  case explanation(String)
  /// Notes that labels refer to by their number, from 1.
  case footnotes([String])
}

/// A text of words and numbers, each with its emphasis.
struct Phrase {
  /// A piece of a phrase.
  enum Part {
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

  init(_ text: String = "", _ emphasis: Emphasis = .plain) {
    parts = [.text(text, emphasis)]
  }

  init(_ parts: [Part]) {
    self.parts = parts
  }

  static func + (left: Phrase, right: Phrase) -> Phrase { Phrase(left.parts + right.parts) }
}

/// The weight of a word or a number.
enum Emphasis: Hashable, Sendable {
  case plain, strong, faint
  /// The largest of several losses.
  case loss
}

/// The number of groups below which a share is marked. Near 50 %, the interval of such a share is wider than 33
/// points.
let fewGroupsMax = 30
