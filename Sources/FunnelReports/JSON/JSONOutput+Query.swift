import FunnelModel

extension JSONOutput {
  /// Appends the query of a report as an object.
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
    if query.anchor != .first {
      append(",\"anchor\":")
      append(string: query.anchor.rawValue)
    }
    if query.attribution != .anchor {
      append(",\"attribution\":")
      append(string: query.attribution.rawValue)
    }
    appendEvents(of: query)
    switch query.asOf {
    case .commit(let number)?:
      append(",\"as_of\":")
      append(number)
    case .time(let time)?:
      append(",\"as_of\":")
      append(string: time.description)
    case nil: break
    }
    append("}")
  }

  /// Appends the options of a query that name events. Options without a value have no key.
  private mutating func appendEvents(of query: ReportQuery) {
    if !query.exclusions.isEmpty {
      append(",\"exclude\":")
      append(strings: query.exclusions)
    }
    if let after = query.after {
      append(",\"after\":")
      append(string: after.description)
      append(",\"steps\":")
      append(query.depth)
    } else if !query.steps.isEmpty {
      append(",\"steps\":")
      append(strings: query.steps.map(\.description))
    }
  }
}
