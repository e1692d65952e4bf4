package import FunnelModel
package import FunnelProjections
package import FunnelRendering

/// A report that consists of rows: the fields of a row, and the presentation of rows as a document.
package protocol RowReport: Sendable {
  associatedtype Row: ReportRow

  /// The name of the report, which is its key in JSON.
  static var name: String { get }

  /// The display name, such as `Permission answers`.
  static var heading: String { get }

  /// The effect of groups in progress on the numbers, as a clause, or `nil` if the report shows it.
  static var effectOfPeopleInProgress: String? { get }

  /// The fields of a row after `app`, `flow` and `version`, in the order of specification section 5.
  static var fields: [Field<Row>] { get }

  /// Returns the rows of one flow version as a part of a document.
  ///
  /// - Parameter rows: The rows in the order of the report. There must be at least one.
  static func document(of rows: [Row], in context: DocumentContext) -> ReportSection

  /// Adds the pictures that a page shows above the tables of one flow version.
  static func addPictures(of rows: [Row], in context: DocumentContext, to part: inout ReportSection)
}

/// A named report, such as `funnel report grants`, whose rows are counts of groups. Its name is also its
/// command line name.
///
/// Each named report has a folder with its projector, which aggregates groups, its rows with the fields of JSON
/// and CSV, and its document for tables, Markdown and pages. ``ReportSelection/registered`` lists all of them.
package protocol NamedReport: RowReport where Row == Projector.Row {
  /// The type that aggregates groups, and converts the counts to rows.
  associatedtype Projector: FunnelProjections.Projector where Projector.Row: ReportRow

  /// Returns the query that the projector uses for a requested query. By default, both are the same.
  static func counted(_ query: ReportQuery) -> ReportQuery
}

/// A row of a report: the numbers of one flow version in one segment.
package protocol ReportRow: Hashable, Sendable {
  var key: RowKey { get }
  /// The title of the flow. Empty if it has none.
  var title: String { get }
  /// The number of groups in the row. Rows of few groups can be omitted, because they could identify people.
  var groups: Int { get }
  /// Whether the counts add up: each group that entered is counted once as completed, dropped, in progress, and so on.
  ///
  /// Rows of merged states need not be consistent, because a state is the content of a file.
  var isConsistent: Bool { get }
}

extension ReportRow {
  package var isConsistent: Bool { true }
}

extension RowReport {
  package static var effectOfPeopleInProgress: String? { nil }
}

extension NamedReport {
  package static func counted(_ query: ReportQuery) -> ReportQuery { query }
}
