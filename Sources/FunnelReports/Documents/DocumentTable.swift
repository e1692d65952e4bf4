import FunnelModel
import FunnelProjections

/// A table of typed columns.
struct DocumentTable {
  /// A column.
  struct Column {
    var title: ColumnTitle
    /// The order in which columns are left out of a table that is too narrow for all: the highest rank first, and 0 last.
    var rank: Int
    /// Whether cells are texts, aligned at their start; otherwise they are numbers, aligned at their end.
    var role: Role
    /// Whether a bar is drawn beside the numbers.
    var hasBar: Bool
  }

  enum Role {
    /// The name of the row.
    case label
    /// Several items.
    case items
    case number
  }

  struct Row {
    /// The segment of the row; empty if the query has none or the label names it.
    var segment: [PropertyValue]
    var cells: [DocumentCell]
    /// Whether the row adds a detail to the one above it.
    var isDetail = false
  }

  var columns: [Column]
  var rows: [Row]
  /// Whether columns that do not fit follow in the order of the table, instead of by rank.
  var keepsOrder = false
}

/// The title of a column, in the form that suits the room there is.
struct ColumnTitle: ExpressibleByStringLiteral {
  /// The title as a heading.
  var text: String
  /// The title beside others in one line.
  var inLine: String
  /// The title in several lines, for narrow columns.
  var stacked: [String]
  /// The title if the preceding columns, which make it clear, are not beside it; empty if they need not be.
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
  /// A share of a number of groups, nil if the number is unknown.
  case share(Double?, of: Int?, Emphasis = .plain)
  /// The 95 % interval of a rate.
  case interval(Rate?)
  /// A rate and the number of groups it is of.
  case rateOfGroups(Rate?, groups: Int)
  /// A duration in milliseconds.
  case duration(Int64?, Emphasis = .plain)
  case items([Phrase])
  case text(String, Emphasis = .plain)
  /// A number with a bar of a share of the whole.
  indirect case bar(Bar, DocumentCell)

  /// The bar of a cell.
  struct Bar {
    /// The length as a share of the longest possible bar; nil draws none.
    var share: Double?
    var color: Color = .regular
  }

  enum Color {
    case regular, loss
    /// For what is beside the main way, such as an optional step.
    case light
  }

  /// The name of a row.
  struct Label {
    var phrase: Phrase
    /// Whether the row is of an optional step.
    var isOptional = false
    /// How deep the row is nested below others.
    var depth = 0
    /// The footnote that explains it.
    var footnote: Int?
  }

  /// The name of a row.
  static func label(_ text: String) -> DocumentCell { .label(Label(phrase: Phrase(text))) }

  /// The name of a segment's row.
  static func label(_ segment: [PropertyValue]) -> DocumentCell { .label(Label(phrase: Phrase([.segment(segment)]))) }

  /// A rate, as a share of its groups.
  static func rate(_ rate: Rate?) -> DocumentCell { .share(rate?.value, of: rate?.denominator) }
}

/// A share for each of many labels and segments. It may be turned if it is wider than high.
struct DocumentMatrix {
  struct Column {
    var segment: [PropertyValue]
    /// One cell per label.
    var cells: [DocumentCell]
  }

  var title: String
  var labels: [Phrase]
  var columns: [Column]
}
