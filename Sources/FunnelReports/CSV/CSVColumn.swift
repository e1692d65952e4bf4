import FunnelModel
import FunnelProjections

/// One column of a CSV file: its name in the header and its cell in each row. The header and the rows are made from the same columns,
/// so they always agree.
struct CSVColumn<Row> {
  var name: CSVText
  var cell: (Row) -> CSVText

  init(_ name: CSVText, _ cell: @escaping (Row) -> CSVText) {
    self.name = name
    self.cell = cell
  }

  static func count(_ name: CSVText, _ value: @escaping (Row) -> Int?) -> CSVColumn {
    CSVColumn(name) { value($0).map { CSVText(number: Int64($0)) } ?? .absent }
  }

  static func share(_ name: CSVText, _ value: @escaping (Row) -> Double?) -> CSVColumn {
    CSVColumn(name) { value($0).map { CSVText(number: $0) } ?? .absent }
  }

  static func text(_ name: CSVText, _ value: @escaping (Row) -> String?) -> CSVColumn {
    CSVColumn(name) { value($0).map { "\($0)" } ?? .absent }
  }

  /// Returns three columns: the rate and the lower and upper bound of its 95 % interval.
  static func rate(_ name: CSVText, _ rate: @escaping (Row) -> Rate?) -> [CSVColumn] {
    [
      .share(name) { rate($0)?.value }, .share("\(name)_ci95_low") { rate($0)?.low },
      .share("\(name)_ci95_high") { rate($0)?.high },
    ]
  }

  static func quantiles(_ name: CSVText, _ quantiles: @escaping (Row) -> Quantiles?) -> [CSVColumn] {
    func column(_ suffix: CSVText, _ value: @escaping (Quantiles) -> Int64) -> CSVColumn {
      CSVColumn("\(name)_\(suffix)") { quantiles($0).map { CSVText(number: value($0)) } ?? .absent }
    }
    return [column("p50", \.p50), column("p90", \.p90), column("p99", \.p99)]
  }

  static func value(_ name: CSVText, _ value: @escaping (Row) -> PropertyValue) -> CSVColumn {
    CSVColumn(name) {
      switch value($0) {
      case .string(let text): "\(text)"
      case .integer(let number): CSVText(number: number)
      case .double(let number): CSVText(number: number)
      case .bool(let flag): flag ? "true" : "false"
      case .null: .absent
      }
    }
  }
}
