internal import FunnelModel
internal import FunnelReports

extension Query {
  /// Returns the query of the engine.
  ///
  /// - Throws: `usage` if a part is not valid.
  func reportQuery() throws(FunnelError) -> ReportQuery {
    var query = ReportQuery(now: now.map(Timestamp.init) ?? WallClock.now())
    query.timeZone = try TimeZoneRules.named(timeZone, option: "timeZone")
    query.since = since.map(Timestamp.init)
    query.until = until.map(Timestamp.init)
    if let since = query.since, let until = query.until, since >= until {
      throw FunnelError(.usage, "an empty range, since \(since) is not before until \(until), swap or change them")
    }
    query.window = window.map(TimeSpan.init)
    if let window = query.window, window.milliseconds <= 0 || window > .longest {
      throw FunnelError(.usage, "not a window, \(window), give more than 0 and at most \(TimeSpan.longest)")
    }
    query.order = order.rule
    query.anchor = anchor.rule
    query.countBy = countBy?.rule
    query.attribution = attribution.rule
    guard max(by.count, filters.count) <= Self.termsMax else {
      throw FunnelError(.usage, "too many dimensions or filters, give at most \(Self.termsMax) of each")
    }
    query.by = try by.map { (dimension) throws(FunnelError) in try dimension.checked() }
    query.conditions = try filters.map { (filter) throws(FunnelError) in try filter.condition() }
    query.steps = try steps.map { (text) throws(FunnelError) in
      guard let key = EventKey(text) else { throw FunnelError(.usage, "not a step, \(text.printable), give \(EventKey.forms)") }
      return key
    }
    for text in exclusions {
      guard case .event = EventKey(text) else {
        throw FunnelError(
          .usage,
          "not an event, \(text.printable), write lower-case letters, digits and underscores, beginning with a letter")
      }
    }
    query.exclusions = exclusions
    query.isMature = isMature
    query.countsInternal = includesInternalSubjects
    return query
  }

  /// Returns the reports of the engine.
  ///
  /// - Throws: `usage` if there is none, or if one does not allow the query.
  func selection(for query: ReportQuery) throws(FunnelError) -> ReportSelection {
    guard !reports.isEmpty else { throw FunnelError(.usage, "no report given, name at least one") }
    let selection = ReportSelection(names: reports.map(\.rawValue))
    assert(selection.names.count == Set(reports).count, "the engine has every report of FunnelKit")
    try selection.check(query)
    return selection
  }
}

extension Query.Order {
  fileprivate var rule: StepOrder {
    switch self {
    case .ordered: .ordered
    case .strict: .strict
    case .any: .any
    }
  }
}

extension Query.Anchor {
  fileprivate var rule: AnchorRule {
    switch self {
    case .first: .first
    case .best: .best
    }
  }
}

extension Query.Unit {
  fileprivate var rule: FlowDefinition.CountBy {
    switch self {
    case .person: .person
    case .subject: .subject
    case .attempt: .attempt
    case .entry: .entry
    }
  }
}

extension Query.Attribution {
  fileprivate var rule: FunnelModel.Attribution {
    switch self {
    case .anchor: .anchor
    case .known: .known
    }
  }
}
