import FunnelProjections

/// The rows of one report.
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
    var part = Named.document(of: rows, in: context)
    if context.hasPictures { Named.addPictures(of: rows, in: context, to: &part) }
    return part
  }

  func appendJSON(to output: inout JSONOutput, dimensions: [String]) {
    output.append(rows: rows, of: Named.fields, dimensions: dimensions)
  }

  func csv(_ layout: CSVLayout) -> [[CSVText]] { layout.lines(of: rows, fields: Named.fields) }
}

/// The rows of one named report, whichever it is.
protocol AnyAnswer: Sendable {
  /// The name of the report.
  var name: String { get }
  /// The number of rows.
  var count: Int { get }
  /// The rows of each flow version.
  var byFlow: [FlowName: any AnyAnswer] { get }
  /// How people in progress change the numbers (``RowReport/effectOfPeopleInProgress``).
  var effectOfPeopleInProgress: String? { get }
  /// The title of the first row's flow; empty if there is none.
  var title: String { get }

  /// Returns the answer without the rows of fewer groups.
  func withoutRows(under groupsMin: Int) -> Self
  /// Returns how the rows, at least one and all of one flow version, are shown.
  func document(in context: DocumentContext) -> DocumentPart
  /// Appends the rows as a JSON array.
  func appendJSON(to output: inout JSONOutput, dimensions: [String])
  /// Returns the lines of a CSV file, the header first.
  func csv(_ layout: CSVLayout) -> [[CSVText]]
}

extension NamedReport {
  static var projector: any FunnelProjections.Projector.Type { Projector.self }

  /// Returns the rows of all flow versions, in their order.
  static func answer(from counts: [FlowCounts]) -> any AnyAnswer {
    Answer<Self>(rows: counts.flatMap { $0.rows(of: Projector.self) ?? [] })
  }
}

/// A flow, or a version of it, as a report names it.
struct FlowName: Hashable, Comparable {
  let app: String
  let flow: String
  /// Nil if several versions are meant.
  let version: Int?

  init(_ key: RowKey) {
    (app, flow, version) = (key.app, key.flow, key.version)
  }

  static func < (a: FlowName, b: FlowName) -> Bool { (a.app, a.flow, a.version ?? 0) < (b.app, b.flow, b.version ?? 0) }
}
