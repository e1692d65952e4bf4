import FunnelModel
import FunnelRendering

/// The layout of a CSV file: the columns of the flow, those of the fields of a row, and those of the query.
///
/// Columns have the names of the JSON keys, with nested keys joined by `_`. If a row and the elements of its
/// list have a column of the same name, only that of the elements is written. Each dimension of the query's
/// `by` has one column. The last three columns, `as_of`, `since` and `until`, repeat the query, because a file
/// is often separated from the command that wrote it.
struct CSVLayout {
  let query: ReportQuery

  /// Returns the header, followed by a line for each row, or for each element of the row's list.
  func lines<Row: ReportRow>(of rows: [Row], fields: [Field<Row>]) -> [[CSVText]] {
    let fields = columns(of: fields).filter { field in
      // An optional field that is absent from all rows has no column, like its key in JSON.
      switch field.value {
      case .optionalCount(let count): return rows.contains { count($0) != nil }
      case .optionalTree(let tree): return rows.contains { tree($0) != nil }
      default: return true
      }
    }
    let query = queryColumns
    let header: [CSVText] = ["app", "flow", "version"] + fields.flatMap { names(of: $0) } + query.map(\.name)
    let lines = rows.flatMap { row -> [[CSVText]] in
      let flow: [CSVText] = [cell(row.key.app), cell(row.key.flow), cell(row.key.version)]
      return alternatives(of: fields, row, segment: row.key.segment).map { flow + $0 + query.map(\.cell) }
    }
    assert(lines.allSatisfy { $0.count == header.count }, "each line has a cell for each column")
    return [header] + lines
  }

  /// Returns the fields that have columns.
  private func columns<Row>(of fields: [Field<Row>]) -> [Field<Row>] {
    var ofElements: Set<CSVText> = []
    var listCount = 0
    for list in fields.compactMap(\.list) {
      ofElements.formUnion(names(of: list))
      listCount += 1
    }
    precondition(listCount <= 1, "a line belongs to an element of one list")
    let shown = fields.filter { field in
      if field.list != nil { return true }
      return ofElements.isDisjoint(with: names(of: field))
    }
    return shown.filter(\.isFirstInCSV) + shown.filter { !$0.isFirstInCSV }
  }

  private var queryColumns: [(name: CSVText, cell: CSVText)] {
    [
      ("as_of", cell(query.now.description)), ("since", cell(query.since?.description)),
      ("until", cell(query.until?.description)),
    ]
  }

  /// The dimensions that have a column, with their index in the segment. Repeated dimensions are omitted, and
  /// so is `version`, which is a column of the flow.
  private var dimensions: [(index: Int, dimension: Dimension)] {
    query.by.enumerated().map { (index: $0, dimension: $1) }
      .filter { query.by.firstIndex(of: $0.dimension) == $0.index && $0.dimension != .version }
  }
}

extension CSVLayout {
  /// Returns the names of a field's columns.
  private func names<Row>(of field: Field<Row>, prefix: CSVText = "") -> [CSVText] {
    let name = prefix + "\(field.name)"
    switch field.value {
    case .text, .flag, .count, .optionalCount, .share, .number, .remark, .openCounts, .tree, .optionalTree:
      return [name]
    case .rate: return [name, name + "_ci95_low", name + "_ci95_high"]
    case .interval: return [name + "_low", name + "_high"]
    case .quantiles: return [name + "_p50", name + "_p90", name + "_p99"]
    case .segment: return dimensions.map { "\($0.dimension.description)" }
    case .counts(let names, _): return names.map { name + "_" + "\($0)" }
    case .object(let fields, _): return fields.flatMap { names(of: $0, prefix: name + "_") }
    case .list(let list), .branches(_, let list): return names(of: list)
    }
  }

  private func names<Row>(of list: some FieldList<Row>) -> [CSVText] { list.fields.flatMap { names(of: $0) } }

  /// Returns the cells of each line of a row.
  private func alternatives<Row>(of fields: [Field<Row>], _ row: Row, segment: [PropertyValue]) -> [[CSVText]] {
    var lines: [[CSVText]] = [[]]
    for field in fields {
      if let list = field.list {
        let elements = elements(of: list, row)
        lines = lines.flatMap { line in elements.map { line + $0 } }
      } else {
        let cells = cells(of: field, row, segment: segment)
        for index in lines.indices { lines[index] += cells }
      }
    }
    return lines
  }

  private func elements<Row>(of list: some FieldList<Row>, _ row: Row) -> [[CSVText]] {
    list.elements(of: row).map { element in list.fields.flatMap { cells(of: $0, element, segment: []) } }
  }

  private func cells<Row>(of field: Field<Row>, _ row: Row, segment: [PropertyValue]) -> [CSVText] {
    switch field.value {
    case .text(let text), .remark(let text): return [cell(text(row))]
    case .flag(let flag): return [flag(row) ? "true" : "false"]
    case .count(let count), .optionalCount(let count): return [cell(count(row))]
    case .share(let number), .number(let number): return [cell(number(row))]
    case .optionalTree(let tree): return [cell(tree(row).map { value in JSONWriter.text { $0.append(value) } })]
    case .tree(let tree):
      let tree = tree(row)
      if case .null = tree { return [.absent] }
      return [cell(JSONWriter.text { $0.append(tree) })]
    case .rate(let rate):
      let rate = rate(row)
      return [cell(rate?.value), cell(rate?.low), cell(rate?.high)]
    case .quantiles(let quantiles):
      let quantiles = quantiles(row)
      return [quantiles?.p50, quantiles?.p90, quantiles?.p99].map { cell($0.map(Int.init)) }
    case .segment: return dimensions.map { CSVText($0.index < segment.count ? segment[$0.index] : .null) }
    case .counts(_, let counts): return counts(row).map { cell($0) }
    case .openCounts(let counts):
      // CSV has no nested values, so the counts are written into one cell: `photos=20;push=15`.
      let counts = counts(row)
      return [cell(counts.isEmpty ? nil : counts.map { "\($0.name)=\($0.count)" }.joined(separator: ";"))]
    case .interval(let interval):
      let interval = interval(row)
      return [cell(interval?.low), cell(interval?.high)]
    case .object(let fields, let isPresent):
      guard isPresent(row) else { return names(of: field).map { _ in .absent } }
      return fields.flatMap { cells(of: $0, row, segment: segment) }
    case .list, .branches: preconditionFailure("an element of a list has no list")
    }
  }

  private func cell(_ text: String?) -> CSVText { text.map { "\($0)" } ?? .absent }
  private func cell(_ count: Int?) -> CSVText { count.map { CSVText(number: Int64($0)) } ?? .absent }
  private func cell(_ share: Double?) -> CSVText { share.map { CSVText(number: $0) } ?? .absent }
}

extension CSVText {
  /// The cell of a property's value.
  init(_ value: PropertyValue) {
    switch value {
    case .string(let text): self = "\(text)"
    case .integer(let number): self = CSVText(number: number)
    case .double(let number): self = CSVText(number: number)
    case .bool(let flag): self = flag ? "true" : "false"
    case .null: self = .absent
    }
  }
}
