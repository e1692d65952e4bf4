import FunnelModel
import FunnelRendering

/// The rows of days whose events were deleted, from the snapshots of a store.
///
/// A snapshot is counted by UTC day when events are deleted. If the events of a day were deleted in several
/// steps, the row with the largest count is used, because later snapshots lack the events that were deleted
/// before.
package struct DaySnapshots: Sendable {
  private var rows: [String: [DayKey: DayRow]] = [:]

  package init() {}

  /// The days and flow versions with a snapshot.
  package private(set) var flows: Set<DayKey> = []

  /// Adds a line (``SnapshotLine``). A line that can't be parsed is ignored.
  package mutating func add(_ line: [UInt8]) {
    guard let contents = SnapshotLine.Contents(parsing: line), let day = contents.day else { return }
    for table in DayTable.all {
      for row in contents.rows(of: table.source.report) { add(row, of: day, to: table) }
    }
  }

  /// Returns the rows of a table.
  package func rows(of table: DayTable) -> [DayRow] { rows[table.name].map { Array($0.values) } ?? [] }

  private mutating func add(_ row: SnapshotLine.Contents.Row, of day: CivilDate, to table: DayTable) {
    var key = DayKey(day: day, app: row.flow.app, flow: row.flow.flow, version: row.flow.version ?? 0, part: nil)
    flows.insert(key)
    let source = table.source
    for element in source.list.map({ row.json[$0]?.array ?? [] }) ?? [row.json] {
      key.part = source.part.flatMap { element[$0]?.string }
      let values = table.columns.enumerated().map { index, column in
        Self.value(at: column, in: index < source.rowColumns ? row.json : element)
      }
      let line = DayRow(key: key, values: values)
      if let known = rows[table.name]?[key], table.largestCount(in: known) >= table.largestCount(in: line) { continue }
      rows[table.name, default: [:]][key] = line
    }
  }

  private static func value(at column: DayColumn, in root: JSONDocument.Node) -> DayValue {
    var node = root
    for key in column.path {
      let next = node.array.flatMap { elements in Int(key).flatMap { elements.indices.contains($0) ? elements[$0] : nil } }
      guard let inner = next ?? node[key] else { return .null }
      node = inner
    }
    switch column.kind {
    case .count, .quantile: return DayValue(node.integer.map(Int.init))
    case .integer: return DayValue(node.bool.map { $0 ? 1 : 0 } ?? node.integer.map(Int.init))
    case .real: return DayValue(node.double)
    case .text:
      return DayValue(
        node.string ?? node.object.map { JSONWriter.text(ofCounts: $0.map { ($0.key, $0.node.integer.map(Int.init)) }) })
    }
  }
}

extension DayTable {
  /// Returns the largest number of groups in a row. Durations and settings do not depend on the number of groups.
  fileprivate func largestCount(in row: DayRow) -> Int {
    zip(columns, row.values).lazy.filter { column, _ in column.kind == .count }.compactMap { $1.integer }.max() ?? 0
  }
}
