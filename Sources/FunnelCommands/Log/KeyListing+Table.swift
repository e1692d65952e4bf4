import FunnelIngest
import FunnelModel
import FunnelReports

extension KeyListing {
  /// Creates a listing from the key statistics of a log.
  ///
  /// - Parameter values: The largest number of values to show for each key.
  init(_ statistics: KeyStatistics, values: Int) {
    self.init(
      events: statistics.events,
      keys: statistics.keys.map { key in
        Key(
          dimension: key.dimension, events: key.events, valueCount: key.values.count, hasMoreValues: key.hasMoreValues,
          mostFrequent: key.mostFrequent(values))
      }, hasMoreKeys: statistics.hasMoreKeys)
  }

  /// The table, with one line per key: `ctx.country  1,203  3  DE (800), AT (400), CH (3)`.
  var table: String {
    var table = TextTable(["key", "events", "values", "most frequent"], alignRightFrom: 1, alignRightUpTo: 3)
    for key in keys {
      table.add([
        key.dimension.description, Quantity.count(key.events), Quantity.count(key.valueCount) + (key.hasMoreValues ? "+" : ""),
        key.mostFrequent.map { "\(Self.text($0.value)) (\(Quantity.count($0.events)))" }.joined(separator: ", "),
      ])
    }
    table.add([keys.isEmpty ? "no keys" : "all events", Quantity.count(events), "", ""])
    return table.text
  }

  /// The largest number of Unicode scalars shown of a value. With it, a line fits a terminal.
  private static let valueScalarsMax = 40

  /// Returns a value in the syntax of `--where KEY=`, shortened.
  ///
  /// It is quoted if it is empty, or if its spaces or commas would be ambiguous in a list.
  private static func text(_ value: PropertyValue) -> String {
    let full = value.description
    let head = full.unicodeScalars.prefix(valueScalarsMax)
    let text = String(String.UnicodeScalarView(head)) + (head.endIndex < full.unicodeScalars.endIndex ? "…" : "")
    let isPlain = !text.isEmpty && text.first != " " && text.last != " " && !text.contains(", ")
    return isPlain ? text : "\"\(text)\""
  }
}
