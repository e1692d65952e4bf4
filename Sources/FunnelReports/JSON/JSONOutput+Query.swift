import FunnelModel

extension JSONOutput {
  /// Appends the query that a report answers.
  mutating func append(_ query: ReportQuery) {
    append("{\"since\":")
    append(text: query.since?.description)
    append(",\"until\":")
    append(text: query.until?.description)
    append(",\"now\":")
    append(string: query.now.description)
    append(",\"window_ms\":")
    append((query.window?.milliseconds).map(Int.init))
    append(",\"order\":")
    append(string: query.order.rawValue)
    append(",\"count_by\":")
    append(text: query.countBy?.rawValue)
    append(",\"by\":")
    append(strings: query.by.map(\.description))
    append(",\"where\":")
    append(strings: query.conditions.map(\.description))
    append(",\"mature\":")
    append(query.isMature)
    append("}")
  }
}
