import FunnelModel

/// The rows of days whose events were deleted, from the snapshots of a store.
///
/// A snapshot is counted by UTC day when events are deleted. If the events of a day were deleted in several
/// steps, the row with the largest count is used, because later snapshots lack the events that were deleted
/// before.
public struct DaySnapshots: Sendable {
  private var rows: [String: [DayKey: DayRow]] = [:]

  public init() {}

  /// The days and flow versions with a snapshot.
  public private(set) var flows: Set<DayKey> = []

  /// Adds a line (``SnapshotLine``). A line that can't be parsed is ignored.
  public mutating func add(_ line: [UInt8]) {
    guard let root = try? JSONDocument(parsing: line).root, let text = root["day"]?.string, let day = CivilDate(text),
      let report = root["report"]
    else { return }
    for table in DayTable.all {
      for node in report[table.source.report]?.array ?? [] { add(node, of: day, to: table) }
    }
  }

  /// Returns the rows of a table.
  public func rows(of table: DayTable) -> [DayRow] { rows[table.name].map { Array($0.values) } ?? [] }

  private mutating func add(_ row: JSONDocument.Node, of day: CivilDate, to table: DayTable) {
    guard let app = row["app"]?.string, let flow = row["flow"]?.string, let version = row["version"]?.integer else { return }
    var key = DayKey(day: day, app: app, flow: flow, version: Int(version), part: nil)
    flows.insert(key)
    let source = table.source
    for element in source.list.map({ row[$0]?.array ?? [] }) ?? [row] {
      key.part = source.part.flatMap { element[$0]?.string }
      let values = table.columns.enumerated().map { index, column in
        Self.value(at: column, in: index < source.rowColumns ? row : element)
      }
      let line = DayRow(key: key, values: values)
      if let known = rows[table.name]?[key], Self.size(of: known) >= Self.size(of: line) { continue }
      rows[table.name, default: [:]][key] = line
    }
  }

  private static func size(of row: DayRow) -> Int { row.values.compactMap(\.count).max() ?? 0 }

  private static func value(at column: DayColumn, in root: JSONDocument.Node) -> DayValue {
    var node = root
    for key in column.path {
      let next = node.array.flatMap { elements in Int(key).flatMap { elements.indices.contains($0) ? elements[$0] : nil } }
      guard let inner = next ?? node[key] else { return .null }
      node = inner
    }
    switch column.kind {
    case .count: return DayValue(node.integer.map(Int.init))
    case .integer: return DayValue(node.bool.map { $0 ? 1 : 0 } ?? node.integer.map(Int.init))
    case .real: return DayValue(node.double)
    case .text: return DayValue(node.string ?? node.object.map(Self.text(of:)))
    }
  }

  /// Returns an object of counts as text.
  private static func text(of members: [JSONDocument.Member]) -> String {
    var output = JSONOutput()
    output.append("{")
    for (index, member) in members.enumerated() {
      if index > 0 { output.append(",") }
      output.append(string: member.key)
      output.append(":")
      output.append(member.node.integer.map(Int.init))
    }
    output.append("}")
    return String(decoding: output.bytes, as: UTF8.self)
  }
}
