package import FunnelModel

/// A cell of a table.
package enum DocumentCell {
  case empty
  case label(Label)
  case count(Int?, Emphasis = .plain)
  /// A share of a number of groups, which is `nil` if unknown.
  case share(Double?, of: Int?, Emphasis = .plain)
  /// The 95 % interval of a rate.
  case interval(Rate?)
  /// A rate with its number of groups.
  case rateOfGroups(Rate?, groups: Int)
  /// A duration in milliseconds.
  case duration(Int64?, Emphasis = .plain)
  case items([Phrase])
  case text(String, Emphasis = .plain)
  /// A number with a bar of a share of the whole.
  indirect case bar(Bar, DocumentCell)
  /// A number of people, which served pages link to their list.
  indirect case linked(PeopleState, DocumentCell)

  /// The bar of a cell.
  package struct Bar {
    /// The length as a share of the longest possible bar, or `nil` for no bar.
    var share: Double?
    var color: Color

    package init(share: Double?, color: Color = .regular) {
      self.share = share
      self.color = color
    }
  }

  /// The color of a bar.
  package enum Color {
    case regular, loss
    /// For values outside the required steps, such as an optional step.
    case light
  }

  /// The name of a row.
  package struct Label {
    package var phrase: Phrase
    /// Whether the row is of an optional step.
    package var isOptional: Bool
    /// The nesting depth of the row, from 0.
    package var depth: Int
    /// The number of the footnote that explains the row, from 1, or `nil` if there is none.
    package var footnote: Int?
    /// The URL that a page links the label to, or `nil` for none. Other formats ignore it.
    package var target: String?

    package init(phrase: Phrase, isOptional: Bool = false, depth: Int = 0, footnote: Int? = nil) {
      precondition(depth >= 0, "the nesting depth is not negative")
      precondition(footnote ?? 1 >= 1, "footnotes are numbered from 1")
      self.phrase = phrase
      self.isOptional = isOptional
      self.depth = depth
      self.footnote = footnote
    }
  }

  /// Returns a number of people. It is linked to their list unless there are none.
  package static func people(_ count: Int?, _ state: PeopleState, _ emphasis: Emphasis = .plain) -> DocumentCell {
    count ?? 0 > 0 ? .linked(state, .count(count, emphasis)) : .count(count, emphasis)
  }

  /// Returns a plain label.
  package static func label(_ text: String) -> DocumentCell { .label(Label(phrase: Phrase(text))) }

  /// Returns a label with the values of a segment.
  package static func label(_ segment: [PropertyValue]) -> DocumentCell { .label(Label(phrase: Phrase([.segment(segment)]))) }

  /// Returns the share of a rate.
  package static func rate(_ rate: Rate?) -> DocumentCell { .share(rate?.value, of: rate?.denominator) }
}
