public import FunnelModel
public import FunnelProjections

/// A report made of rows: what they consist of, and how they are shown.
public protocol RowReport: Sendable {
  associatedtype Row: ReportRow

  /// The name of the report, which is its key in JSON.
  static var name: String { get }

  /// The name for people, such as `Permission answers`.
  static var heading: String { get }

  /// How people in progress change the numbers, as a clause; nil if the report shows it by itself.
  static var effectOfPeopleInProgress: String? { get }

  /// The fields of a row after `app`, `flow` and `version`, in the order of specification section 5.
  static var fields: [Field<Row>] { get }

  /// Returns how the rows of one flow version are shown.
  ///
  /// - Parameter rows: The rows, at least one, in the order of the report.
  static func document(of rows: [Row], in context: DocumentContext) -> DocumentPart

  /// Adds to a part what a page shows of the rows of one flow version above their tables.
  static func addPictures(of rows: [Row], in context: DocumentContext, to part: inout DocumentPart)
}

/// A named report, such as `funnel report grants`, whose rows are counts of groups. Its name is that on the command line too.
///
/// A named report is one folder: its projector (a pure fold), its rows with their fields (JSON and CSV are written from them), and its document
/// (tables, Markdown and pages are written from it). ``ReportSelection/registered`` lists it.
public protocol NamedReport: RowReport where Row == Projector.Row {
  /// Counts groups, and makes the rows of the counts.
  associatedtype Projector: FunnelProjections.Projector where Projector.Row: ReportRow

  /// Returns the query by which groups are counted for a query; most reports count by the query itself.
  static func counted(_ query: ReportQuery) -> ReportQuery
}

/// A row of a report: the numbers of one flow version in one segment.
public protocol ReportRow: Hashable, Sendable {
  var key: RowKey { get }
  /// The title of the flow; empty if it has none.
  var title: String { get }
  /// The number of groups the row is about. A row of few could identify people.
  var groups: Int { get }
}

extension RowReport {
  public static var effectOfPeopleInProgress: String? { nil }
}

extension NamedReport {
  public static func counted(_ query: ReportQuery) -> ReportQuery { query }
}
