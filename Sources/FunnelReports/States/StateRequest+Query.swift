public import FunnelModel

extension StateRequest {
  /// Returns the options of a query that affect its counts, except its period and `now`, in command line notation.
  ///
  /// An option with its default value has no setting, so equal queries have equal settings.
  static func settings(of query: ReportQuery, flows: [String], app: String?) -> [Setting] {
    var settings: [Setting] = []
    func add(_ option: StateOption, _ values: [String]) {
      settings += values.map { Setting(option: option.rawValue, value: $0) }
    }
    add(.window, query.window.map { ["\($0.milliseconds)ms"] } ?? [])
    add(.order, query.order == .ordered ? [] : [query.order.rawValue])
    add(.anchor, query.anchor == .first ? [] : [query.anchor.rawValue])
    add(.countBy, query.countBy.map { [$0.rawValue] } ?? [])
    add(.timeZone, query.timeZone == .utc ? [] : [query.timeZone.name])
    add(.mature, query.isMature ? ["true"] : [])
    add(.by, query.by.map(\.description))
    add(.condition, query.conditions.map(\.description))
    add(.attribution, query.attribution == .anchor ? [] : [query.attribution.rawValue])
    add(.exclusion, query.exclusions)
    add(.every, query.every.map { [$0.rawValue] } ?? [])
    add(.after, query.after.map { [$0.description] } ?? [])
    add(.depth, query.after == nil ? [] : [String(query.depth)])
    add(.steps, query.steps.isEmpty ? [] : [query.steps.map(\.description).joined(separator: ",")])
    add(.flow, Array(Set(flows)).sorted())
    add(.app, app.map { [$0] } ?? [])
    return settings
  }

  /// Returns the query with these options, for a period.
  ///
  /// - Parameter timeZone: Returns the rules of the time zone with a name.
  /// - Throws: The error of `timeZone`, or ``FunnelError`` (`unusableInput`) if a setting is unknown, for
  ///   example because a newer version of the tool wrote it.
  public func query(
    of period: StatePeriod, timeZone: (String) throws(FunnelError) -> TimeZoneRules
  ) throws(FunnelError) -> ReportQuery {
    var query = ReportQuery(now: period.now)
    query.since = period.since
    query.until = period.until
    for setting in settings {
      guard let option = StateOption(rawValue: setting.option), try Self.apply(option, setting.value, to: &query, timeZone)
      else {
        throw FunnelError(
          .unusableInput,
          "an option of the state can't be read, \(setting.option.printable) \(setting.value.printable), was it written by a newer version of funnel?"
        )
      }
    }
    return query
  }

  /// Sets an option of a query. Returns `false` if the value is invalid.
  private static func apply(
    _ option: StateOption, _ value: String, to query: inout ReportQuery,
    _ timeZone: (String) throws(FunnelError) -> TimeZoneRules
  ) throws(FunnelError) -> Bool {
    func set<Value>(_ target: inout Value, _ read: Value?) -> Bool {
      guard let read else { return false }
      target = read
      return true
    }
    func append<Value>(to target: inout [Value], _ read: Value?) -> Bool {
      guard let read, target.count < Limits.queryTermsMax else { return false }
      target.append(read)
      return true
    }
    switch option {
    case .window: return set(&query.window, TimeSpan(value).map(Optional.some))
    case .order: return set(&query.order, StepOrder(rawValue: value))
    case .anchor: return set(&query.anchor, AnchorRule(rawValue: value))
    case .countBy: return set(&query.countBy, FlowDefinition.CountBy(rawValue: value).map(Optional.some))
    case .timeZone: query.timeZone = try timeZone(value)
    case .mature: return set(&query.isMature, value == "true" ? true : nil)
    case .by: return append(to: &query.by, Dimension(value))
    case .condition: return append(to: &query.conditions, SegmentCondition(value))
    case .attribution: return set(&query.attribution, Attribution(rawValue: value))
    case .exclusion: query.exclusions.append(value)
    case .every: return set(&query.every, CalendarUnit(rawValue: value).map(Optional.some))
    case .after: return set(&query.after, EventKey(value).map(Optional.some))
    case .depth: return set(&query.depth, Int(value).flatMap { (1...Limits.pathEventsMax).contains($0) ? $0 : nil })
    case .steps:
      let keys = value.split(separator: ",").map { EventKey($0) }
      return set(&query.steps, keys.contains(nil) ? nil : keys.compactMap(\.self))
    case .flow, .app: break
    }
    return true
  }
}
