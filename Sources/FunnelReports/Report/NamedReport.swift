public import FunnelModel
public import FunnelProjections

/// A named report, such as `funnel report grants`: how it counts, what its rows consist of, and how it is shown.
///
/// A named report is one folder: its projector (a pure fold), its rows with their fields (JSON and CSV are written from them), and its document
/// (tables, Markdown and pages are written from it). ``ReportSelection/registered`` lists it.
public protocol NamedReport: Sendable {
  /// Counts groups, and makes the rows of the counts.
  associatedtype Projector: FunnelProjections.Projector where Projector.Row: ReportRow

  typealias Row = Projector.Row

  /// The name on the command line, which is the key in JSON too.
  static var name: String { get }

  /// The fields of a row after `app`, `flow` and `version`, in the order of specification section 5.
  static var fields: [Field<Row>] { get }

  /// Returns the query by which groups are counted for a query; most reports count by the query itself.
  static func counted(_ query: ReportQuery) -> ReportQuery

  /// Returns how the rows of one flow version are shown.
  ///
  /// - Parameter rows: The rows, at least one, in the order of the report.
  static func document(of rows: [Row], in context: DocumentContext) -> DocumentPart
}

/// A row of a report: the numbers of one flow version in one segment.
public protocol ReportRow: Hashable, Sendable {
  var key: RowKey { get }
  /// The title of the flow; empty if it has none.
  var title: String { get }
  /// The number of groups the row is about. A row of few could identify people.
  var groups: Int { get }
}

extension NamedReport {
  public static func counted(_ query: ReportQuery) -> ReportQuery { query }
}
