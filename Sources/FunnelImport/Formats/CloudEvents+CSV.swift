import FunnelModel

extension FormatLayout {
  /// CloudEvents 1.0 in the JSON format. An ID is only unique within its source.
  static let cloudevents = FormatLayout(
    subject: ["subject", "source"],
    id: .joined([["source"], ["id"]], separator: " "),
    timestamp: ["time"],
    name: .lastPart(["type"]),
    properties: ["data"])

  /// JSON objects of any product. Only a mapping defines the meaning of keys.
  static let json = FormatLayout(timeNotation: .any, countsUnmapped: true)

  /// The rows of a CSV file. Only a mapping defines the meaning of columns.
  static let csv = FormatLayout(timeNotation: .any, countsUnmapped: true)
}
