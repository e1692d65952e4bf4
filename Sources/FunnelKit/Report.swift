internal import FunnelModel
internal import FunnelRendering
internal import FunnelReports

/// The response to a ``Query``: the rows of each report, and notes on them.
///
///     let report = try await store.report(Query(flows: ["cleaner/permissions_flow"]))
///     for row in report.funnel {
///       print("\(row.flow): \(row.completed) of \(row.entered)")
///       for step in row.steps { print("  \(step.label): \(step.reached ?? 0)") }
///     }
///
/// The reports ``funnel``, ``grants`` and ``dropoff`` have rows of their own types. ``rows(of:)`` has the rows of every report in the
/// form of the JSON output, and ``rendered(as:)`` the whole report as text.
public struct Report: Sendable {
  /// The format of a report as text.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// Tables for a terminal.
    case table
    /// One JSON object.
    case json
    /// GitHub Flavored Markdown.
    case markdown
    /// A self-contained HTML page with charts.
    case html
  }

  let content: FunnelReports.Report
  /// Sentences about likely mistakes in the query, in the log or in the app's logging.
  public let notes: [String]

  /// Whether no report has a row.
  public var isEmpty: Bool { content.isEmpty }

  /// The number of events that are missing from the report because the log is damaged: 0 if it is intact, `nil` if the number is not
  /// known.
  public var missingEventCount: Int? {
    guard let damage = content.damage else { return 0 }
    return damage.missingEvents
  }

  /// The rows of the funnel report: one for each flow version and segment. Empty unless the query asks for the report.
  public var funnel: [Funnel] { content[FunnelReport.self]?.map(Funnel.init) ?? [] }

  /// The rows of the report of permission answers: one for each permission of a flow version, and segment.
  public var grants: [Grants] { content[GrantsReport.self]?.map(Grants.init) ?? [] }

  /// The rows of the drop-off report: one for each flow version and segment.
  public var dropoff: [Dropoff] { content[DropoffReport.self]?.map(Dropoff.init) ?? [] }

  /// Returns the rows of a report, as its JSON has them. Empty unless the query asks for the report.
  ///
  ///     for row in report.rows(of: .outcomes) { print(row["outcome"], row["groups"]) }
  public func rows(of report: ReportName) -> [Row] {
    guard let own = content.separated.first(where: { $0.name == report.rawValue })?.report else { return [] }
    // The JSON of the engine is valid, and small compared with the events.
    let json = (try? ReportRenderer.render(own, as: .json)).flatMap { try? JSONDocument(parsing: Array($0.utf8)) }
    return json?.root[report.rawValue]?.array?.map { Row(value: Value($0)) } ?? []
  }

  /// Returns the report as text that ends with a line feed.
  public func rendered(as format: Format = .table) -> String {
    // Only CSV can fail, and it is not among the formats.
    (try? ReportRenderer.render(content, as: format.renderer)) ?? ""
  }
}

extension Report.Format {
  fileprivate var renderer: ReportFormat {
    switch self {
    case .table: .table
    case .json: .json
    case .markdown: .markdown
    case .html: .html
    }
  }
}

extension Report {
  /// Computes the reports that a query asks for.
  init(
    _ query: Query, source: EventSource, definitions: DefinitionSources, _ configuration: EventStore.Configuration
  ) throws(FunnelError) {
    let reading = try query.reportQuery()
    let selection = try query.selection(for: reading)
    let monitor = NoteCollector()
    let reader = ReportReader(
      source: source, definitions: definitions, flows: query.flows, app: nil, threads: configuration.threadCount,
      memory: MemoryLimit(bytes: configuration.memoryBytesMax), monitor: monitor)
    let response = try reader.response(to: reading, selection).explained()
    content = response.report
    notes = monitor.notes + (try response.findings())
  }
}

extension Report {
  /// One row of a report, in the form of the JSON output.
  public struct Row: Hashable, Sendable {
    /// The row as an object.
    public let value: Value

    /// Returns the value of a field, or ``Report/Value/null`` if the row has no such field.
    public subscript(field: String) -> Value { value[field] }
  }

  /// A value of a row.
  public indirect enum Value: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case double(Double)
    case string(String)
    case array([Value])
    case object([String: Value])

    /// Returns a member of an object, or ``null`` if there is none.
    public subscript(key: String) -> Value {
      if case .object(let members) = self { members[key] ?? .null } else { .null }
    }
  }
}

extension Report.Value {
  init(_ node: JSONDocument.Node) {
    switch node.value {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .string(let text): self = .string(text)
    case .number(let text): self = Int(text).map(Self.integer) ?? Double(text).map(Self.double) ?? .null
    case .array(let nodes): self = .array(nodes.map(Self.init))
    case .object(let members):
      self = .object(Dictionary(members.map { ($0.key, Self($0.node)) }, uniquingKeysWith: { first, _ in first }))
    }
  }
}
