import FunnelProjections

/// The rows of one report, with its static type.
struct Answer<Named: RowReport>: AnyAnswer {
  var rows: [Named.Row]

  var name: String { Named.name }
  var count: Int { rows.count }

  func withoutRows(under groupsMin: Int) -> Answer { Answer(rows: rows.filter { $0.groups >= groupsMin }) }

  var byFlow: [FlowName: any AnyAnswer] {
    Dictionary(grouping: rows) { FlowName($0.key) }.mapValues { Answer(rows: $0) }
  }

  var effectOfPeopleInProgress: String? { Named.effectOfPeopleInProgress }
  var title: String { rows.first?.title ?? "" }

  func document(in context: DocumentContext) -> DocumentPart {
    precondition(!rows.isEmpty, "a document has rows")
    var part = Named.document(of: rows, in: context)
    if context.hasPictures { Named.addPictures(of: rows, in: context, to: &part) }
    return part
  }

  func appendJSON(to output: inout JSONOutput, dimensions: [String]) {
    output.append(rows: rows, of: Named.fields, dimensions: dimensions)
  }

  func csv(_ layout: CSVLayout) -> [[CSVText]] { layout.lines(of: rows, fields: Named.fields) }
}

/// The rows of one report, with its type erased.
protocol AnyAnswer: Sendable {
  /// The name of the report.
  var name: String { get }
  /// The number of rows.
  var count: Int { get }
  /// The rows of each flow version.
  var byFlow: [FlowName: any AnyAnswer] { get }
  /// The effect of groups in progress on the numbers (``RowReport/effectOfPeopleInProgress``).
  var effectOfPeopleInProgress: String? { get }
  /// The title of the first row's flow. Empty without a row or a title.
  var title: String { get }

  /// Returns the rows with at least a number of groups.
  func withoutRows(under groupsMin: Int) -> Self
  /// Returns the rows as a part of a document. There must be at least one row, and all of one flow version.
  func document(in context: DocumentContext) -> DocumentPart
  /// Appends the rows as a JSON array.
  func appendJSON(to output: inout JSONOutput, dimensions: [String])
  /// Returns the lines of a CSV file, header first.
  func csv(_ layout: CSVLayout) -> [[CSVText]]
}

extension NamedReport {
  static var projector: any FunnelProjections.Projector.Type { Projector.self }

  /// Returns the rows of all flow versions, in their order.
  static func answer(from counts: [FlowCounts]) -> any AnyAnswer {
    Answer<Self>(rows: counts.flatMap { $0.rows(of: Projector.self) ?? [] })
  }
}

/// The name of a flow or of one of its versions, in the sort order of reports.
struct FlowName: Hashable, Comparable {
  let app: String
  let flow: String
  /// The version, or `nil` for several versions of the flow.
  let version: Int?

  init(_ key: RowKey) {
    app = key.app
    flow = key.flow
    version = key.version
  }

  static func < (a: FlowName, b: FlowName) -> Bool { (a.app, a.flow, a.version ?? 0) < (b.app, b.flow, b.version ?? 0) }
}
