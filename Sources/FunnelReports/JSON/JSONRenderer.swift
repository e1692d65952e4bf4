import FunnelModel
import FunnelProjections

/// Writes a report as JSON, with the keys in the order of section 5 of the specification.
///
/// Each row and each step begins on a new line, so that two reports can be compared with `diff` and searched with `grep`.
struct JSONRenderer {
  private var output = JSONOutput()
  private let dimensions: [String]

  static func render(_ report: Report) -> String {
    var renderer = JSONRenderer(dimensions: report.query.by.map(\.description))
    renderer.append(report)
    return String(decoding: renderer.output.bytes, as: UTF8.self)
  }

  private init(dimensions: [String]) {
    self.dimensions = dimensions
  }

  private mutating func append(_ report: Report) {
    output.append("{\n  \"query\":")
    append(report.query)
    for answer in report.answers {
      output.append(",\n  ")
      output.append(string: answer.name)
      output.append(":")
      answer.appendJSON(to: &output, dimensions: dimensions)
    }
    append(report.damage)
    output.append("\n}\n")
  }

  private mutating func append(_ damage: ReportDamage?) {
    guard let damage else { return }
    output.append(",\n  \"damage\":{\"events_missing\":")
    output.append(damage.missingEvents)
    output.append(",\"places\":")
    output.append(lines: damage.places, indent: "\n    ", end: "\n  ") { output, place in
      output.append("{\"path\":")
      output.append(string: place.path)
      output.append(",\"offset\":")
      output.append(place.offset)
      output.append(",\"events_missing\":")
      output.append(place.events)
      output.append(",\"reason\":")
      output.append(string: place.reason)
      output.append("}")
    }
    output.append("}")
  }

  /// Appends the events that a query names, each key only where it names some.
  private mutating func appendEvents(of query: ReportQuery) {
    if !query.exclusions.isEmpty {
      output.append(",\"exclude\":")
      output.append(strings: query.exclusions)
    }
    if let after = query.after {
      output.append(",\"after\":")
      output.append(string: after.description)
      output.append(",\"steps\":")
      output.append(query.depth)
    } else if !query.steps.isEmpty {
      output.append(",\"steps\":")
      output.append(strings: query.steps.map(\.description))
    }
  }

  private mutating func append(_ query: ReportQuery) {
    output.append("{\"since\":")
    output.append(text: query.since?.description)
    output.append(",\"until\":")
    output.append(text: query.until?.description)
    output.append(",\"now\":")
    output.append(string: query.now.description)
    output.append(",\"window_ms\":")
    output.append((query.window?.milliseconds).map(Int.init))
    output.append(",\"order\":")
    output.append(string: query.order.rawValue)
    output.append(",\"count_by\":")
    output.append(text: query.countBy?.rawValue)
    output.append(",\"by\":")
    output.append(strings: dimensions)
    output.append(",\"where\":")
    output.append(strings: query.conditions.map(\.description))
    output.append(",\"mature\":")
    output.append(query.isMature)
    appendEvents(of: query)
    output.append("}")
  }
}
