package import FunnelModel

/// An element of a page above the tables of a report, such as a chart.
package enum Picture {
  /// The segment of the pictures below it.
  case segment([PropertyValue])
  /// The key figures of a flow.
  case figures([DocumentFigure])
  case chart(Chart)
  /// A prominent warning, without a final full stop.
  case warning(String)
  /// A conclusion from the numbers, without a full stop.
  case statement(String)

  /// The maximum number of bars in a readable chart.
  package static let barsMax = 40

  /// Returns a chart with a title and a description for screen readers.
  package static func chart(_ title: String, _ summary: String, _ form: Chart.Form) -> Picture {
    .chart(Chart(title: Phrase(title), summary: summary, form: form))
  }
}

/// A key figure of a flow, such as its conversion.
package struct DocumentFigure {
  let name: String
  let value: Phrase
  let note: Phrase?

  package init(name: String, value: Phrase, note: Phrase? = nil) {
    self.name = name
    self.value = value
    self.note = note
  }
}
