import FunnelModel
import FunnelProjections

/// A table of typed columns, independent of the output format.
struct DocumentTable {
  /// The properties of a column.
  struct Column {
    var title: ColumnTitle
    /// The priority of removal from a table that is too wide: the highest rank is removed first, 0 last.
    var rank: Int
    /// The content of the column, which decides its alignment: numbers at their end, all other cells at their start.
    var role: Role
    /// Whether a bar is drawn beside the numbers.
    var hasBar: Bool
  }

  /// The content of a column.
  enum Role {
    /// The name of the row.
    case label
    /// Several items.
    case items
    case number
  }

  /// A row, with a cell for each column.
  struct Row {
    /// The segment of the row. Empty if the query has no dimensions, or the label names the segment.
    var segment: [PropertyValue]
    var cells: [DocumentCell]
    /// Whether the row adds a detail to the one above it.
    var isDetail = false
  }

  var columns: [Column]
  var rows: [Row]
  /// Whether a table that is too wide is divided in the order of its columns, instead of by rank.
  var keepsOrder = false
}

/// The title of a column, in variants for different widths.
struct ColumnTitle: ExpressibleByStringLiteral {
  /// The title as a heading.
  var text: String
  /// The title beside others in one line.
  var inLine: String
  /// The title in several lines, for narrow columns.
  var stacked: [String]
  /// The title, in lines, for use without the preceding columns that give it context. Empty if it needs no context.
  var alone: [String]

  init(_ text: String, inLine: String? = nil, stacked: [String] = [], alone: [String] = []) {
    self.text = text
    self.inLine = inLine ?? text
    self.stacked = stacked.isEmpty ? [self.inLine] : stacked
    self.alone = alone
  }

  init(stringLiteral text: String) { self.init(text) }
}

/// A cell of a table.
enum DocumentCell {
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

  /// The bar of a cell.
  struct Bar {
    /// The length as a share of the longest possible bar, or `nil` for no bar.
    var share: Double?
    var color: Color = .regular
  }

  /// The color of a bar.
  enum Color {
    case regular, loss
    /// For values outside the required steps, such as an optional step.
    case light
  }

  /// The name of a row.
  struct Label {
    var phrase: Phrase
    /// Whether the row is of an optional step.
    var isOptional = false
    /// The nesting depth of the row, from 0.
    var depth = 0
    /// The number of the footnote that explains the row, or `nil` if there is none.
    var footnote: Int?
  }

  /// Returns a plain label.
  static func label(_ text: String) -> DocumentCell { .label(Label(phrase: Phrase(text))) }

  /// Returns a label with the values of a segment.
  static func label(_ segment: [PropertyValue]) -> DocumentCell { .label(Label(phrase: Phrase([.segment(segment)]))) }

  /// Returns the share of a rate.
  static func rate(_ rate: Rate?) -> DocumentCell { .share(rate?.value, of: rate?.denominator) }
}

/// A share for each pair of a label and a segment. A renderer may transpose the matrix to fit it into fewer blocks.
struct DocumentMatrix {
  /// The cells of one segment.
  struct Column {
    var segment: [PropertyValue]
    /// A cell for each label.
    var cells: [DocumentCell]
  }

  var title: String
  var labels: [Phrase]
  var columns: [Column]
}
