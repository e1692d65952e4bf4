package import FunnelModel
import FunnelRendering

/// The property keys of a log with their most frequent values, rendered as JSON or CSV.
package struct KeyListing: Sendable {
  /// A key and its values.
  package struct Key: Sendable {
    /// The key as a dimension: `ctx.KEY` or `props.KEY`.
    package let dimension: Dimension
    /// The number of events that have the key.
    package let events: Int
    /// The number of distinct values that were counted.
    package let valueCount: Int
    /// Whether the key has more distinct values than were counted.
    package let hasMoreValues: Bool
    /// The most frequent values with their numbers of events, in descending order.
    package let mostFrequent: [(value: PropertyValue, events: Int)]

    package init(
      dimension: Dimension, events: Int, valueCount: Int, hasMoreValues: Bool,
      mostFrequent: [(value: PropertyValue, events: Int)]
    ) {
      self.dimension = dimension
      self.events = events
      self.valueCount = valueCount
      self.hasMoreValues = hasMoreValues
      self.mostFrequent = mostFrequent
    }
  }

  /// The number of events that were examined.
  package let events: Int
  /// The keys with their values.
  package let keys: [Key]
  /// Whether the log has more keys than were counted.
  package let hasMoreKeys: Bool

  package init(events: Int, keys: [Key], hasMoreKeys: Bool) {
    self.events = events
    self.keys = keys
    self.hasMoreKeys = hasMoreKeys
  }
}

extension KeyListing {
  /// The listing as one JSON object, with one line per key.
  package var json: String {
    JSONWriter.text { output in
      output.append("{\"events\":")
      output.append(events)
      output.append(",\"more_keys\":")
      output.append(hasMoreKeys)
      output.append(",\"keys\":")
      output.append(lines: keys, indent: "\n  ", end: "\n") { $0.append(Self.tree(of: $1)) }
      output.append("}\n")
    }
  }

  private static func tree(of key: Key) -> JSONValue {
    .object([
      ("key", .text(key.dimension.description)), ("events", .count(key.events)), ("values", .count(key.valueCount)),
      ("more_values", .flag(key.hasMoreValues)),
      ("top", .array(key.mostFrequent.map { .object([("value", .value($0.value)), ("count", .count($0.events))]) })),
    ])
  }
}

extension KeyListing {
  /// The columns of the CSV file. The last two are empty for a key that is listed without values.
  private static let columns: [(name: CSVText, cell: @Sendable (Key, _ entry: Int?) -> CSVText)] = [
    ("key", { key, _ in "\(key.dimension.description)" }),
    ("events", { key, _ in CSVText(number: Int64(key.events)) }),
    ("values", { key, _ in CSVText(number: Int64(key.valueCount)) }),
    ("more_values", { key, _ in key.hasMoreValues ? "true" : "false" }),
    ("value", { key, entry in entry.map { CSVText(key.mostFrequent[$0].value) } ?? .absent }),
    ("count", { key, entry in entry.map { CSVText(number: Int64(key.mostFrequent[$0].events)) } ?? .absent }),
  ]

  /// The listing as CSV (RFC 4180, lines end with LF): a header, then one row per value of each key.
  package var csv: String {
    let rows = keys.flatMap { key -> [[CSVText]] in
      let entries: [Int?] = key.mostFrequent.isEmpty ? [nil] : Array(key.mostFrequent.indices)
      return entries.map { entry in Self.columns.map { $0.cell(key, entry) } }
    }
    return ([Self.columns.map(\.name)] + rows).map { $0.map(\.text).joined(separator: ",") + "\n" }.joined()
  }
}
