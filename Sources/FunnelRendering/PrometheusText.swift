/// Writes metrics in the text format of Prometheus, which the textfile collector of node_exporter reads:
/// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
package struct PrometheusText {
  /// The text so far.
  package private(set) var text = ""

  /// Creates an empty text.
  package init() {}

  /// The type of a metric. The raw value is its name in the text.
  private enum Kind: String {
    case counter, gauge
  }

  /// One value of a metric.
  package struct Sample {
    let labels: KeyValuePairs<String, String>
    let value: Double

    /// Creates a value with its labels.
    package init(_ labels: KeyValuePairs<String, String>, _ value: Double) {
      self.labels = labels
      self.value = value
    }
  }

  /// Appends a gauge with its samples. Appends nothing if there are none.
  package mutating func gauge(_ name: String, help: String, _ samples: [Sample]) {
    append(.gauge, name, help: help, samples)
  }

  /// Appends a counter with its samples. Appends nothing if there are none.
  ///
  /// - Parameter name: The name, which ends in `_total`.
  package mutating func counter(_ name: String, help: String, _ samples: [Sample]) {
    assert(name.hasSuffix("_total"), "the name of a counter ends in _total")
    append(.counter, name, help: help, samples)
  }

  private mutating func append(_ kind: Kind, _ name: String, help: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    assert(samples.allSatisfy(\.value.isFinite), "\(name) is a number")
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples {
      let labels = sample.labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
      text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(Self.number(sample.value))\n"
    }
  }

  /// Appends a gauge without labels. Appends nothing if its value is `nil`.
  package mutating func gauge(_ name: String, help: String, _ value: Double?) {
    if let value { gauge(name, help: help, [Sample([:], value)]) }
  }

  /// The bound below which integers are written without a fraction. It is less than 2⁵³, so all of them are exact.
  private static let integerBound = 1e15

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < integerBound ? String(Int(value)) : "\(value)"
  }

  private static func escaped(_ value: String) -> String {
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
