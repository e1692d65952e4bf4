import FunnelModel

// Each function returns the query with an option set to a value, or `nil` if the value is invalid.
extension StateOption {
  /// Sets the depth of the report of drivers, or that of the report of following events.
  @Sendable static func settingDepth(_ text: String, _ query: ReportQuery) -> ReportQuery? {
    guard let depth = Int(text) else { return nil }
    var query = query
    // A state has the option that selects the report of drivers before this one.
    if query.drivers != nil {
      guard DriverSearch.depths.contains(depth) else { return nil }
      query.drivers?.depth = depth
    } else {
      guard (1...Limits.pathEventsMax).contains(depth) else { return nil }
      query.depth = depth
    }
    return query
  }

  /// Selects the report of drivers with a share, without keys.
  @Sendable static func settingDriverShare(_ text: String, _ query: ReportQuery) -> ReportQuery? {
    guard let share = DriverSearch.Share(text) else { return nil }
    var query = query
    query.drivers = DriverSearch()
    query.drivers?.share = share
    query.drivers?.keys = .named([])
    return query
  }

  /// Adds a key of the report of drivers.
  @Sendable static func addingDriverKey(_ text: String, _ query: ReportQuery) -> ReportQuery? {
    guard let keys = query.drivers?.keys.all, keys.count < Limits.driverKeysMax, let key = Dimension(text),
      key.stored == key, !keys.contains(key)
    else { return nil }
    var query = query
    query.drivers?.keys = .named(keys + [key])
    return query
  }

  /// Sets the minimum number of groups of the report of drivers.
  @Sendable static func settingDriverGroups(_ text: String, _ query: ReportQuery) -> ReportQuery? {
    guard let count = Int(text), count >= 1, query.drivers != nil else { return nil }
    var query = query
    query.drivers?.groupsMin = count
    return query
  }
}
