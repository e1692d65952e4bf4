import FunnelModel
import FunnelProjections
import FunnelRendering

/// The rows of one report, with its static type.
struct ReportRows<Named: RowReport>: AnyReportRows {
  var rows: [Named.Row]

  var name: String { Named.name }
  var count: Int { rows.count }

  func withoutRows(under groupsMin: Int) -> ReportRows { ReportRows(rows: rows.filter { $0.groups >= groupsMin }) }

  var byFlow: [FlowReference: any AnyReportRows] {
    Dictionary(grouping: rows) { $0.key.flowReference }.mapValues { ReportRows(rows: $0) }
  }

  var segmentSizes: [[PropertyValue]: Int] {
    Dictionary(rows.map { ($0.key.segment, $0.groups) }, uniquingKeysWith: max)
  }

  func keeping(_ segments: Set<[PropertyValue]>) -> any AnyReportRows {
    ReportRows(rows: rows.filter { segments.contains($0.key.segment) })
  }

  var areConsistent: Bool { rows.allSatisfy(\.isConsistent) }
  var effectOfPeopleInProgress: String? { Named.effectOfPeopleInProgress }
  var title: String { rows.first?.title ?? "" }

  func document(in context: DocumentContext) -> ReportSection {
    precondition(!rows.isEmpty, "a document has rows")
    var section = Named.document(of: rows, in: context)
    if context.hasPictures { Named.addPictures(of: rows, in: context, to: &section) }
    return section
  }

  func appendJSON(to output: inout JSONWriter, dimensions: [String]) {
    output.append(rows: rows, of: Named.fields, dimensions: dimensions)
  }

  func csv(_ layout: CSVLayout) -> [[CSVText]] { layout.lines(of: rows, fields: Named.fields) }
}

/// The rows of one report, with its type erased.
protocol AnyReportRows: Sendable {
  /// The name of the report.
  var name: String { get }
  /// The number of rows.
  var count: Int { get }
  /// The rows of each flow version.
  var byFlow: [FlowReference: any AnyReportRows] { get }
  /// The number of groups of each segment: the largest of its rows.
  var segmentSizes: [[PropertyValue]: Int] { get }
  /// Whether the counts of each row add up (``ReportRow/isConsistent``).
  var areConsistent: Bool { get }
  /// The effect of groups in progress on the numbers (``RowReport/effectOfPeopleInProgress``).
  var effectOfPeopleInProgress: String? { get }
  /// The title of the first row's flow. Empty without a row or a title.
  var title: String { get }

  /// Returns the rows with at least a number of groups.
  func withoutRows(under groupsMin: Int) -> Self
  /// Returns the rows of some segments.
  func keeping(_ segments: Set<[PropertyValue]>) -> any AnyReportRows
  /// Returns the rows as a section of a document. There must be at least one row, and all of one flow version.
  func document(in context: DocumentContext) -> ReportSection
  /// Appends the rows as a JSON array.
  func appendJSON(to output: inout JSONWriter, dimensions: [String])
  /// Returns the lines of a CSV file, header first.
  func csv(_ layout: CSVLayout) -> [[CSVText]]
}

extension NamedReport {
  static var projector: any FunnelProjections.Projector.Type { Projector.self }

  /// Returns the rows of all flow versions, in their order.
  static func answer(from counts: [FlowCounts]) -> any AnyReportRows {
    ReportRows<Self>(rows: counts.flatMap { $0.rows(of: Projector.self) ?? [] })
  }
}

extension RowKey {
  /// The flow version of the row.
  var flowReference: FlowReference { FlowReference(app: app, flow: flow, version: version) }
}
