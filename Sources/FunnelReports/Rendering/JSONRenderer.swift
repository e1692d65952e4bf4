import FunnelModel
import FunnelRendering

/// Renders a report as JSON, with the keys in the order of specification section 5.
///
/// Each row and each step begins on a new line, which suits line-based tools such as `diff` and `grep`.
struct JSONRenderer {
  private var output = JSONWriter()
  private let dimensions: [String]

  /// Returns a report as JSON.
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
    output.append(report.query)
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
      output.append(
        .object([
          ("path", .text(place.path)), ("offset", .count(place.offset)),
          ("events_missing", place.events.map { .count($0) } ?? .null), ("reason", .text(place.reason)),
        ]))
    }
    output.append("}")
  }
}
