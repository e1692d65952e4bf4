import FunnelModel
import FunnelRendering

/// The columns of a row's fields, or of the fields of its list's elements, with functions that return their values.
struct DayColumns<Row>: Sendable {
  private(set) var columns: [DayColumn] = []
  private var readers: [@Sendable (Row) -> DayValue] = []

  /// Creates the columns of fields. The segment, which is the day, and lists have no columns.
  init(_ fields: [Field<Row>]) {
    for field in fields { add(field, name: field.name, path: [field.name]) }
  }

  /// Returns the columns without those of some names.
  func without(_ names: Set<String>) -> DayColumns {
    var result = self
    for index in columns.indices.reversed() where names.contains(columns[index].name) {
      result.columns.remove(at: index)
      result.readers.remove(at: index)
    }
    return result
  }

  /// Returns the values of a row, one for each column.
  func values(of row: Row) -> [DayValue] {
    assert(readers.count == columns.count, "each column has a reader")
    return readers.map { $0(row) }
  }

  private mutating func add(
    _ name: String, _ kind: DayColumn.Kind, _ path: [String], _ reader: @escaping @Sendable (Row) -> DayValue
  ) {
    columns.append(DayColumn(name: name, kind: kind, path: path))
    readers.append(reader)
  }

  private mutating func add(_ field: Field<Row>, name: String, path: [String]) {
    switch field.value {
    case .text(let text), .remark(let text): add(name, .text, path) { DayValue(text($0)) }
    case .flag(let flag): add(name, .integer, path) { .integer(flag($0) ? 1 : 0) }
    // Durations have the suffix `_ms`. All other integers are counts of groups.
    case .count(let count), .optionalCount(let count):
      add(name, name.hasSuffix("_ms") ? .integer : .count, path) { DayValue(count($0)) }
    case .share(let number), .number(let number): add(name, .real, path) { DayValue(number($0)) }
    case .rate(let rate):
      let interval = path.dropLast() + [field.intervalName]
      add(name, .real, path) { DayValue(rate($0)?.value) }
      add("\(name)_ci95_low", .real, interval + ["0"]) { DayValue(rate($0)?.low) }
      add("\(name)_ci95_high", .real, interval + ["1"]) { DayValue(rate($0)?.high) }
    case .interval(let interval):
      add("\(name)_low", .real, path + ["0"]) { DayValue(interval($0)?.low) }
      add("\(name)_high", .real, path + ["1"]) { DayValue(interval($0)?.high) }
    case .quantiles(let quantiles):
      add("\(name)_p50", .quantile, path + ["p50"]) { DayValue(quantiles($0).map { Int($0.p50) }) }
      add("\(name)_p90", .quantile, path + ["p90"]) { DayValue(quantiles($0).map { Int($0.p90) }) }
      add("\(name)_p99", .quantile, path + ["p99"]) { DayValue(quantiles($0).map { Int($0.p99) }) }
    case .counts(let names, let counts):
      for (index, key) in names.enumerated() { add("\(name)_\(key)", .count, path + [key]) { .integer(counts($0)[index]) } }
    case .openCounts(let counts):
      add(name, .text, path) { DayValue(JSONWriter.text(ofCounts: counts($0).map { ($0.name, $0.count) })) }
    case .object(let fields, let isPresent):
      let inner = DayColumns(fields)
      for (index, column) in inner.columns.enumerated() {
        add("\(name)_\(column.name)", column.kind, path + column.path) { row in
          isPresent(row) ? inner.readers[index](row) : .null
        }
      }
    case .segment, .list: break
    case .tree, .optionalTree, .branches: preconditionFailure("no report of days has \(name)")
    }
  }
}
