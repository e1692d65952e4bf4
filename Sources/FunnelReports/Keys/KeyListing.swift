public import FunnelModel

/// The property keys of a log with their most frequent values, rendered as JSON or CSV.
public struct KeyListing: Sendable {
  /// A key and its values.
  public struct Key: Sendable {
    /// The key as a dimension: `ctx.KEY` or `props.KEY`.
    public let dimension: Dimension
    /// The number of events that have the key.
    public let events: Int
    /// The number of distinct values that were counted.
    public let valueCount: Int
    /// Whether the key has more distinct values than were counted.
    public let hasMoreValues: Bool
    /// The most frequent values with their numbers of events, in descending order.
    public let mostFrequent: [(value: PropertyValue, events: Int)]

    public init(
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
  public let events: Int
  /// The keys with their values.
  public let keys: [Key]
  /// Whether the log has more keys than were counted.
  public let hasMoreKeys: Bool

  public init(events: Int, keys: [Key], hasMoreKeys: Bool) {
    self.events = events
    self.keys = keys
    self.hasMoreKeys = hasMoreKeys
  }
}

extension KeyListing {
  /// The listing as one JSON object, with one line per key.
  public var json: String {
    var output = JSONOutput()
    output.append("{\"events\":")
    output.append(integer: Int64(events))
    output.append(hasMoreKeys ? ",\"more_keys\":true,\"keys\":[" : ",\"more_keys\":false,\"keys\":[")
    for (index, key) in keys.enumerated() {
      output.append(index == 0 ? "\n  " : ",\n  ")
      append(key, to: &output)
    }
    output.append(keys.isEmpty ? "]}\n" : "\n]}\n")
    return String(decoding: output.bytes, as: UTF8.self)
  }

  private func append(_ key: Key, to output: inout JSONOutput) {
    output.append("{\"key\":")
    output.append(string: key.dimension.description)
    output.append(",\"events\":")
    output.append(integer: Int64(key.events))
    output.append(",\"values\":")
    output.append(integer: Int64(key.valueCount))
    output.append(key.hasMoreValues ? ",\"more_values\":true,\"top\":[" : ",\"more_values\":false,\"top\":[")
    for (index, entry) in key.mostFrequent.enumerated() {
      output.append(index == 0 ? "{\"value\":" : ",{\"value\":")
      append(entry.value, to: &output)
      output.append(",\"count\":")
      output.append(integer: Int64(entry.events))
      output.append("}")
    }
    output.append("]}")
  }

  private func append(_ value: PropertyValue, to output: inout JSONOutput) {
    switch value {
    case .string(let text): output.append(string: text)
    case .integer(let number): output.append(integer: number)
    case .double(let number): output.append(number: number)
    case .bool(let flag): output.append(flag ? "true" : "false")
    case .null: output.append("null")
    }
  }
}

extension KeyListing {
  /// The columns of the CSV file. The last two are empty for a key that is listed without values.
  private static let columns: [(name: CSVText, cell: @Sendable (Key, _ entry: Int?) -> CSVText)] = [
    ("key", { key, _ in "\(key.dimension.description)" }),
    ("events", { key, _ in CSVText(number: Int64(key.events)) }),
    ("values", { key, _ in CSVText(number: Int64(key.valueCount)) }),
    ("more_values", { key, _ in key.hasMoreValues ? "true" : "false" }),
    ("value", { key, entry in entry.map { cell(key.mostFrequent[$0].value) } ?? .absent }),
    ("count", { key, entry in entry.map { CSVText(number: Int64(key.mostFrequent[$0].events)) } ?? .absent }),
  ]

  /// The listing as CSV (RFC 4180, lines end with LF): a header, then one row per value of each key.
  public var csv: String {
    let rows = keys.flatMap { key -> [[CSVText]] in
      let entries: [Int?] = key.mostFrequent.isEmpty ? [nil] : Array(key.mostFrequent.indices)
      return entries.map { entry in Self.columns.map { $0.cell(key, entry) } }
    }
    return ([Self.columns.map(\.name)] + rows).map { $0.map(\.text).joined(separator: ",") + "\n" }.joined()
  }

  private static func cell(_ value: PropertyValue) -> CSVText {
    switch value {
    case .string(let text): "\(text)"
    case .integer(let number): CSVText(number: number)
    case .double(let number): CSVText(number: number)
    case .bool(let flag): flag ? "true" : "false"
    case .null: .absent
    }
  }
}
