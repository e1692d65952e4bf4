import FunnelModel

/// What a page shows above the tables of a report: the same numbers, for the eye.
enum Picture {
  /// The segment that the pictures below are of.
  case segment([PropertyValue])
  case figures([DocumentFigure])
  case chart(Chart)
  /// A sentence, without its last full stop, that must not be overlooked.
  case warning(String)
  /// A sentence, without its full stop, that says what the report comes to.
  case statement(String)

  /// The number of segments up to which each has charts of its own. The segments of more are compared in one chart, for nobody
  /// compares a dozen charts.
  static let chartedSegmentsMax = 6
  /// The number of bars of a chart up to which it can be taken in.
  static let barsMax = 40

  static func chart(_ title: String, _ summary: String, _ form: Chart.Form) -> Picture {
    .chart(Chart(title: Phrase(title), summary: summary, form: form))
  }
}

/// A number that sums up a flow, such as its conversion.
struct DocumentFigure {
  let name: String
  let value: Phrase
  var note: Phrase?
}

extension Picture {
  /// Returns the pictures of each row below the name of its segment, if it has one; none of more segments than can be compared.
  static func each<Row: ReportRow>(of rows: [Row], _ pictures: (Row) -> [Picture]) -> [Picture] {
    guard rows.count <= chartedSegmentsMax else { return [] }
    return rows.flatMap { row in
      let own = pictures(row)
      return row.key.segment.isEmpty || own.isEmpty ? own : [.segment(row.key.segment)] + own
    }
  }
}
