import FunnelModel

/// A table with the numbers of `funnel report --by day`: a row for each day and flow version, or for each of
/// its steps or permissions.
///
/// Its columns are derived from the fields of JSON and CSV, so all three agree.
package struct DayTable: Sendable {
  /// The name, such as `step_days`.
  package let name: String
  /// The prefix of the names of the table's numbers: `step` in `step.photos.reached`.
  package let subject: String
  /// The name of the column with the step or the permission, or `nil` in a table of flows.
  package let part: String?
  /// The columns after `day`, `as_of`, `app`, `flow`, `version` and the part.
  package let columns: [DayColumn]
  /// The location of the numbers in the JSON of a report.
  let source: Source
  private let makeRows: @Sendable (Report) -> [NumberRow]

  /// A row of a report, or an element of its list, as numbers.
  struct NumberRow {
    let key: RowKey
    /// The step or the permission, or `nil` in a table of flows.
    let part: String?
    /// The values, one for each of the table's columns.
    let values: [DayValue]
  }

  /// The location of a table's numbers in the JSON of a report.
  struct Source: Sendable {
    /// The key of the report.
    let report: String
    /// The key of the step or the permission, or `nil` in a table of flows.
    let part: String?
    /// The key of the list whose elements are lines, or `nil` if each row is a line.
    let list: String?
    /// The number of leading columns whose values are in the row, not in the elements of its list.
    let rowColumns: Int

    init<Named: NamedReport>(_ report: Named.Type, part: String?, list: String? = nil, rowColumns: Int = 0) {
      self.report = Named.name
      self.part = part
      self.list = list
      self.rowColumns = rowColumns
    }
  }

  /// All tables.
  package static let all = [funnel, step, permission, dropoff]

  /// The funnel of each day.
  package static let funnel = table("funnel_days", ofRows: FunnelReport.self, subject: "funnel")
  /// The steps of the funnel of each day.
  package static let step = table("step_days", ofStepsOf: FunnelReport.self, subject: "step")
  /// The answers to each permission on each day.
  package static let permission = table("permission_days", ofRows: GrantsReport.self, subject: "permission", part: "permission")
  /// The drop-off at each step on each day.
  package static let dropoff = table("dropoff_days", ofStepsOf: DropoffReport.self, subject: "dropoff", keepsRow: true)

  /// Returns the rows of a report, whose only dimension must be the day.
  package func rows(of report: Report) -> [DayRow] {
    precondition(report.query.by == [.day], "a table of days is of a report by day")
    return numbers(of: report).map { DayRow(key: DayKey($0.key, part: $0.part), values: $0.values) }
  }

  /// Returns the numbers of a report with any dimensions.
  func numbers(of report: Report) -> [NumberRow] { makeRows(report) }

  /// The columns that are not repeated in each line of a row, with their index.
  var ownColumns: [(index: Int, column: DayColumn)] {
    columns.enumerated().dropFirst(source.rowColumns).map { (index: $0, column: $1) }
  }

  /// Returns the name of a number: `funnel.entered`, `step.photos.reached`.
  func name(of column: DayColumn, part: String?) -> String {
    [subject, part, column.name].compactMap { $0 }.joined(separator: ".")
  }

  /// Creates a table with a line for each row of a report.
  ///
  /// - Parameter part: The field with the step or the permission of the row, or `nil` if the row is about the
  ///   whole flow.
  private static func table<Named: NamedReport>(
    _ name: String, ofRows report: Named.Type, subject: String, part: String? = nil
  ) -> DayTable {
    let columns = DayColumns(Named.fields.filter { $0.name != part })
    let parts = DayColumns(Named.fields.filter { $0.name == part })
    return DayTable(name: name, subject: subject, part: part, columns: columns.columns, source: .init(Named.self, part: part)) {
      report in
      (report[Named.self] ?? []).map { row in
        NumberRow(key: row.key, part: parts.values(of: row).first?.text, values: columns.values(of: row))
      }
    }
  }

  /// Creates a table with a line for each step of each row of a report.
  ///
  /// - Parameter keepsRow: Whether each line repeats the numbers of the row.
  private static func table<Named: NamedReport>(
    _ name: String, ofStepsOf report: Named.Type, subject: String, keepsRow: Bool = false
  ) -> DayTable {
    guard let list = Named.fields.compactMap(\.list).first else { preconditionFailure("\(Named.name) has no steps") }
    return table(name, of: report, list, subject: subject, keepsRow: keepsRow)
  }

  private static func table<Named: NamedReport, List: FieldList<Named.Row>>(
    _ name: String, of report: Named.Type, _ list: List, subject: String, keepsRow: Bool
  ) -> DayTable {
    let columns = DayColumns(list.fields.filter { $0.name != Self.idField })
    let ids = DayColumns(list.fields.filter { $0.name == Self.idField })
    let ofElements = Set(columns.columns.map(\.name))
    let ofRow = DayColumns(keepsRow ? Named.fields : []).without(ofElements)
    return DayTable(
      name: name, subject: subject, part: "step", columns: ofRow.columns + columns.columns,
      source: .init(Named.self, part: idField, list: stepsField, rowColumns: ofRow.columns.count)
    ) { report in
      (report[Named.self] ?? []).flatMap { row in
        let own = ofRow.values(of: row)
        return list.elements(of: row).map { step in
          NumberRow(key: row.key, part: ids.values(of: step).first?.text, values: own + columns.values(of: step))
        }
      }
    }
  }

  private static let idField = "id"
  private static let stepsField = "steps"

  private init(
    name: String, subject: String, part: String?, columns: [DayColumn], source: Source,
    makeRows: @escaping @Sendable (Report) -> [NumberRow]
  ) {
    self.name = name
    self.subject = subject
    self.part = part
    self.columns = columns
    self.source = source
    self.makeRows = makeRows
  }
}

extension DayKey {
  /// Creates the key of a row.
  ///
  /// - Parameter key: The key of a row in a report by day.
  fileprivate init(_ key: RowKey, part: String?) {
    guard case .string(let text)? = key.segment.first, let day = CivilDate(text), let version = key.version else {
      preconditionFailure("a row of a report by day has a day and a version")
    }
    self.init(day: day, app: key.app, flow: key.flow, version: version, part: part)
  }
}
