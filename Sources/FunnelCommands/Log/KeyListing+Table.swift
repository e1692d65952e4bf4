import FunnelIngest
import FunnelModel
import FunnelReports

extension KeyListing {
  /// Creates a listing of the keys of a log, each with at most `values` of its most frequent values.
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

  /// The maximum number of scalars shown of a value, so that a line fits a terminal.
  private static let valueScalarsMax = 40

  /// Returns a value as it is written after `--where KEY=`, in quotes if it would otherwise be invisible or run into the next one.
  private static func text(_ value: PropertyValue) -> String {
    let full = value.description
    let head = full.unicodeScalars.prefix(valueScalarsMax)
    let text = String(String.UnicodeScalarView(head)) + (head.endIndex < full.unicodeScalars.endIndex ? "…" : "")
    let isPlain = !text.isEmpty && text.first != " " && text.last != " " && !text.contains(", ")
    return isPlain ? text : "\"\(text)\""
  }
}
