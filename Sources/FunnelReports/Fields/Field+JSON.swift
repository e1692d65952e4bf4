import FunnelModel
import FunnelRendering

extension JSONWriter {
  /// Appends rows as an array with one row per line, which suits line-based tools such as `diff` and `grep`.
  mutating func append<Row: ReportRow>(rows: [Row], of fields: [Field<Row>], dimensions: [String]) {
    append(lines: rows, indent: "\n    ", end: "\n  ") { output, row in
      output.append("{\"app\":")
      output.append(string: row.key.app)
      output.append(",\"flow\":")
      output.append(string: row.key.flow)
      output.append(",\"version\":")
      output.append(row.key.version)
      for field in fields where field.isPresent(in: row) {
        output.append(",")
        if case .segment = field.value {
          output.append("\"by\":")
          output.append(segment: row.key.segment, dimensions: dimensions)
        } else {
          output.append(field, of: row)
        }
      }
      output.append("}")
    }
  }

  /// Appends the fields of an object, between braces.
  private mutating func append<Row>(object fields: [Field<Row>], of row: Row) {
    append("{")
    for (index, field) in fields.filter({ $0.isPresent(in: row) }).enumerated() {
      if index > 0 { append(",") }
      append(field, of: row)
    }
    append("}")
  }

  /// Appends the key and the value of a field.
  private mutating func append<Row>(_ field: Field<Row>, of row: Row) {
    append(string: field.name)
    append(":")
    switch field.value {
    case .text(let text): append(text: text(row))
    case .remark(let text): append(text: text(row))
    case .flag(let flag): append(flag(row))
    case .count(let count), .optionalCount(let count): append(count(row))
    case .share(let number), .number(let number): append(number(row))
    case .tree(let tree), .branches(let tree, _): append(tree(row))
    case .optionalTree(let tree): append(tree(row) ?? .null)
    case .rate(let rate):
      let rate = rate(row)
      append(rate?.value)
      append(",")
      append(string: field.intervalName)
      append(":")
      append(interval: rate)
    case .quantiles(let quantiles): append(quantiles(row))
    case .segment: preconditionFailure("only rows have a segment")
    case .counts(let names, let counts):
      let counts = counts(row)
      precondition(counts.count == names.count, "\(field.name) has a count for each name")
      append(counts: zip(names, counts).map { (name: $0, count: $1) })
    case .openCounts(let counts): append(counts: counts(row).map { ($0.name, $0.count) })
    case .interval(let interval):
      let interval = interval(row)
      append(interval: interval?.low, interval?.high)
    case .object(let fields, let isPresent):
      if isPresent(row) { append(object: fields, of: row) } else { append("null") }
    case .list(let list): append(list, of: row)
    }
  }

  /// Appends a list with one element per line.
  private mutating func append<Row>(_ list: some FieldList<Row>, of row: Row) {
    append(lines: list.elements(of: row), indent: "\n      ", end: "\n    ") { $0.append(object: list.fields, of: $1) }
  }

  /// Appends the segment as an object, in the order of the query. A repeated dimension is written once, because
  /// JSON keys must be unique.
  private mutating func append(segment: [PropertyValue], dimensions: [String]) {
    append("{")
    var isFirst = true
    for (index, dimension) in dimensions.enumerated() where dimensions.firstIndex(of: dimension) == index {
      if !isFirst { append(",") }
      isFirst = false
      append(string: dimension)
      append(":")
      append(index < segment.count ? segment[index] : .null)
    }
    append("}")
  }

  /// Returns counts as a JSON object.
  static func text(ofCounts counts: [(name: String, count: Int?)]) -> String {
    text { $0.append(counts: counts) }
  }

  /// Returns what a closure appends, as text.
  static func text(_ body: (inout JSONWriter) -> Void) -> String {
    var output = JSONWriter()
    body(&output)
    return String(decoding: output.bytes, as: UTF8.self)
  }

  /// Appends an object of counts.
  private mutating func append(counts: [(name: String, count: Int?)]) {
    append("{")
    for (index, entry) in counts.enumerated() {
      if index > 0 { append(",") }
      append(string: entry.name)
      append(":")
      append(entry.count)
    }
    append("}")
  }
}

extension Field {
  /// Returns whether the field is written for a row.
  fileprivate func isPresent(in row: Row) -> Bool {
    switch value {
    case .remark(let text): text(row) != nil
    case .optionalCount(let count): count(row) != nil
    case .optionalTree(let tree): tree(row) != nil
    default: true
    }
  }
}
