import FunnelModel

// Each function returns the query with an option set to a value, or `nil` if the value is invalid.
extension StateOption {
  /// Returns a function that selects the report of paths in a direction, from an event, with the default depth.
  static func settingPath(
    _ direction: PathQuery.Direction
  ) -> @Sendable (String, ReportQuery) -> ReportQuery? {
    { text, query in
      guard let key = EventKey(text), query.path == nil else { return nil }
      var query = query
      query.path = PathQuery(direction, key)
      return query
    }
  }

  /// Sets the goal of the report of paths.
  @Sendable static func settingGoal(_ text: String, _ query: ReportQuery) -> ReportQuery? {
    guard let goal = EventKey(text), query.path != nil else { return nil }
    var query = query
    query.path?.goal = goal
    return query
  }

  /// Sets the depth of the report of drivers, or that of the report of paths.
  @Sendable static func settingDepth(_ text: String, _ query: ReportQuery) -> ReportQuery? {
    guard let depth = Int(text) else { return nil }
    var query = query
    // A state has the option that selects the report of drivers before this one.
    if query.drivers != nil {
      guard DriverSearch.depths.contains(depth) else { return nil }
      query.drivers?.depth = depth
    } else {
      guard (1...Limits.pathEventsMax).contains(depth), query.path != nil else { return nil }
      query.path?.depth = depth
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
      key.isDriverKey, !keys.contains(key)
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

  /// Selects the retention report with a number of periods.
  @Sendable static func settingPeriods(_ text: String, _ query: ReportQuery) -> ReportQuery? {
    guard let count = Int(text), (1...Limits.retentionPeriodsMax).contains(count) else { return nil }
    var query = query
    query.retention = RetentionQuery()
    query.retention?.periodCount = count
    return query
  }

  /// Sets the event from which the retention report measures periods.
  @Sendable static func settingRetentionStart(_ text: String, _ query: ReportQuery) -> ReportQuery? {
    guard let start = RetentionQuery.Start(rawValue: text), query.retention != nil else { return nil }
    var query = query
    query.retention?.start = start
    return query
  }

  /// Adds a return event of the retention report.
  @Sendable static func addingReturnEvent(_ text: String, _ query: ReportQuery) -> ReportQuery? {
    guard case .event = EventKey(text), let retention = query.retention,
      retention.returnEvents.count < Limits.queryTermsMax
    else { return nil }
    var query = query
    query.retention?.returnEvents.append(text)
    return query
  }
}
