import FunnelModel

/// An element of a page above the tables of a report, such as a chart.
enum Picture {
  /// The segment of the pictures below it.
  case segment([PropertyValue])
  /// The key figures of a flow.
  case figures([DocumentFigure])
  case chart(Chart)
  /// A prominent warning, without a final full stop.
  case warning(String)
  /// A conclusion from the numbers, without a full stop.
  case statement(String)

  /// The maximum number of segments with separate charts. More segments share one chart, because many charts
  /// are hard to compare.
  static let chartedSegmentsMax = 6
  /// The maximum number of bars in a readable chart.
  static let barsMax = 40

  /// Returns a chart with a title and a description for screen readers.
  static func chart(_ title: String, _ summary: String, _ form: Chart.Form) -> Picture {
    .chart(Chart(title: Phrase(title), summary: summary, form: form))
  }
}

/// A key figure of a flow, such as its conversion.
struct DocumentFigure {
  let name: String
  let value: Phrase
  var note: Phrase?
}

extension Picture {
  /// Returns the pictures of each row, below the name of its segment if it has one. Returns none if there are
  /// more than ``chartedSegmentsMax`` rows.
  static func each<Row: ReportRow>(of rows: [Row], _ pictures: (Row) -> [Picture]) -> [Picture] {
    guard rows.count <= chartedSegmentsMax else { return [] }
    return rows.flatMap { row in
      let own = pictures(row)
      return row.key.segment.isEmpty || own.isEmpty ? own : [.segment(row.key.segment)] + own
    }
  }
}
