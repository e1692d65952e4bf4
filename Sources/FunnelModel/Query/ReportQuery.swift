/// The parameters of a report: everything that affects its numbers except the events and the flow definitions.
///
/// A report counts groups: persons, attempts or entries. A group's anchor is the event that starts its chain of steps.
package struct ReportQuery: Hashable, Sendable {
  /// The earliest anchor of a counted group, inclusive, or `nil` for no lower bound.
  package var since: Timestamp?
  /// The end of the period of anchors, exclusive, or `nil` for no upper bound.
  package var until: Timestamp?
  /// The time of the report. Later events are ignored.
  package var now: Timestamp
  /// The past state of the log to report on, or `nil` for the current state.
  package var asOf: LogMoment?
  /// The conversion window, or `nil` to use the flow's own.
  package var window: TimeSpan?
  /// The order in which steps must be matched.
  package var order = StepOrder.ordered
  /// The rule that selects a group's anchor if several events could start its chain.
  package var anchor = AnchorRule.first
  /// The unit that is counted, or `nil` to use the flow's own.
  package var countBy: FlowDefinition.CountBy?
  /// The dimensions by which groups are split into segments.
  package var by: [Dimension] = []
  /// The conditions that a group must meet, all of them.
  package var conditions: [SegmentCondition] = []
  /// Whether only groups with a closed conversion window are counted.
  package var isMature = false
  /// The time zone in which days, weeks and months begin.
  package var timeZone = TimeZoneRules.utc
  /// The event that provides the value of a key that the anchor lacks.
  package var attribution = Attribution.anchor
  /// Whether groups with several values of a key of ``by`` are excluded. The values of all events within the
  /// window are compared, from the anchor on (for permission grants, from the first pre-prompt on).
  package var dropsMixed = false
  /// Whether the internal subjects of the store are counted (``InternalSubjects``).
  package var countsInternal = false
  /// The largest number of subjects that are merged into the person of one user. The events of a user with more count as if
  /// they did not name it, so that one bad ID does not make a crowd one person.
  package var subjectsOfPersonMax = Limits.subjectsOfPersonMaxDefault

  /// The calendar unit of a trend or of retention, or `nil` for the default of the report.
  package var every: CalendarUnit?
  /// The events that exclude groups, in addition to the exclusions of the flow definitions.
  package var exclusions: [String] = []
  /// The steps of an ad-hoc flow, or an empty array to report on defined flows.
  package var steps: [EventKey] = []
  /// The app whose events are counted regardless of flows, or `nil` to report on flows.
  package var eventsOfApp: String?
  /// The parameters of the report of paths, or `nil` if that report is not selected.
  package var path: PathQuery?
  /// The options of the report of drivers, or `nil` if that report is not selected.
  package var drivers: DriverSearch?
  /// The parameters of the retention report, or `nil` if that report is not selected.
  package var retention: RetentionQuery?
  /// The parts of events that the selected reports read in addition to event classes and the query's own dimensions.
  package var needs = EventNeeds()

  /// Creates a query about all events up to `now`.
  package init(now: Timestamp) { self.now = now }

  /// Returns the unit that a flow is counted by.
  package func unit(of flow: FlowDefinition) -> FlowDefinition.CountBy { countBy ?? flow.countBy }

  /// Returns whether one of some flow versions of a catalog, given by their indices, counts persons or their entries.
  package func countsPersons(in flows: Set<Int>, of catalog: FlowCatalog) -> Bool {
    flows.contains { unit(of: catalog.definitions[$0]).isOfPersons }
  }

  /// Returns the conversion window that applies to a flow, in milliseconds.
  package func windowMilliseconds(for flow: FlowDefinition) -> Int64 {
    (window ?? flow.window).milliseconds
  }
}

/// The event that provides the value of a key that a group's anchor lacks (specification section 3).
package enum Attribution: String, Hashable, Sendable, CaseIterable {
  /// No other event. The value is that of the anchor, or absent.
  case anchor
  /// The first event of the group after the anchor and within the window that has the key.
  case known
}

/// The rule that selects a group's anchor among the events that can start its chain (specification section 3).
package enum AnchorRule: String, Hashable, Sendable, CaseIterable {
  /// The first event, regardless of the period. Each group has one day and one segment, so the counts of
  /// disjoint periods add up.
  case first
  /// The event in the period whose chain matches the most steps, or the earliest of several. The choice depends
  /// on the result, so the report can't be split by time.
  case best
}

/// The order in which the steps of a funnel must be matched (specification section 3).
package enum StepOrder: String, Hashable, Sendable, CaseIterable {
  /// The order of the flow. Other events may occur between the steps.
  case ordered
  /// The order of the flow, without another required step in between.
  case strict
  /// Any order.
  case any
}

/// A past state of the log, identified by a commit or by a time.
package enum LogMoment: Hashable, Sendable, CustomStringConvertible {
  /// The state after a commit; 0 is the state before the first.
  case commit(Int)
  /// The state after the last commit at or before a time.
  case time(Timestamp)

  package var description: String {
    switch self {
    case .commit(let number): "commit \(number)"
    case .time(let time): "\(time)"
    }
  }
}
