import FunnelIngest
import FunnelModel
import FunnelReports

extension KeyListing {
  /// The keys of a log, each with so many of its values.
  init(_ census: KeyCensus, values: Int) {
    self.init(
      events: census.events,
      keys: census.keys.map { key in
        Key(
          dimension: key.dimension, events: key.events, valueCount: key.values.count, hasMoreValues: key.hasMoreValues,
          mostFrequent: key.mostFrequent(values))
      }, hasMoreKeys: census.hasMoreKeys)
  }

  /// A line for each key: `ctx.country  1,203  3  DE (800), AT (400), CH (3)`.
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

  /// Longer values are cut: a line should fit a terminal.
  private static let valueScalarsMax = 40

  /// A value as it is written behind `--where KEY=`; in quotes where it could not be seen otherwise, or not be told from the next one.
  private static func text(_ value: PropertyValue) -> String {
    let full = value.description
    let head = full.unicodeScalars.prefix(valueScalarsMax)
    let text = String(String.UnicodeScalarView(head)) + (head.endIndex < full.unicodeScalars.endIndex ? "…" : "")
    let isPlain = !text.isEmpty && text.first != " " && text.last != " " && !text.contains(", ")
    return isPlain ? text : "\"\(text)\""
  }
}
