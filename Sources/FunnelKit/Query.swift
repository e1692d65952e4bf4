public import Foundation
internal import FunnelModel

/// A request for reports: the flows, the period, and the groups that count.
///
///     var query = Query(flows: ["cleaner/permissions_flow"])
///     query.since = Date(timeIntervalSinceNow: -7 * 86_400)
///     query.by = [.context("variant")]
///     query.filters = [Query.Filter(.context("country"), .isOneOf(["DE", "AT"]))]
///     let report = try await store.report(query)
///
/// A query counts groups: people, attempts or entries, as ``countBy`` or the flow says. The event that starts a group's way through
/// the flow is its anchor. A default query counts all groups of all flows up to now.
public struct Query: Hashable, Sendable {
  /// The order in which steps must be reached.
  public enum Order: String, Hashable, Sendable, CaseIterable {
    /// The order of the flow. Other events may occur in between.
    case ordered
    /// The order of the flow, without another required step in between.
    case strict
    /// Any order.
    case any
  }

  /// The event that counts as the start of a group that starts several times.
  public enum Anchor: String, Hashable, Sendable, CaseIterable {
    /// The first one.
    case first
    /// The one in the period after which the group got furthest.
    case best
  }

  /// The unit that is counted.
  public enum Unit: String, Hashable, Sendable, CaseIterable {
    /// A person, with the events of all its subjects: identified by the user of the events, else by their subject.
    case person
    /// A subject of the events: a device or an install.
    case subject
    /// An attempt of a subject.
    case attempt
    /// One pass of a person through the flow.
    case entry
  }

  /// The event that gives a key that a group's anchor lacks.
  public enum Attribution: String, Hashable, Sendable, CaseIterable {
    /// No other event: the value is absent.
    case anchor
    /// The first later event that has the key.
    case known
  }

  /// The largest number of dimensions, and of filters.
  public static var termsMax: Int { Limits.queryTermsMax }

  /// The flows to report on, as `APP/FLOW` or `APP/FLOW@VERSION`. Empty for all.
  public var flows: [String]
  /// The reports to compute.
  public var reports: [ReportName]
  /// The earliest anchor, inclusive, or `nil` for no bound.
  public var since: Date?
  /// The latest anchor, exclusive, or `nil` for no bound.
  public var until: Date?
  /// The time of the report, or `nil` for the clock. Later events are ignored.
  public var now: Date?
  /// The time zone of days, weeks and months, such as `Europe/Berlin`.
  public var timeZone = "UTC"
  /// The time in which a group may convert, or `nil` for the flow's own.
  public var window: Duration?
  /// The order in which steps must be reached.
  public var order = Order.ordered
  /// The event that counts as a group's start.
  public var anchor = Anchor.first
  /// The unit that is counted, or `nil` for the flow's own.
  public var countBy: Unit?
  /// The dimensions whose values split the rows. At most ``termsMax``.
  public var by: [Dimension] = []
  /// The conditions that a group must meet, all of them. At most ``termsMax``.
  public var filters: [Filter] = []
  /// The event that gives a key that a group's anchor lacks.
  public var attribution = Attribution.anchor
  /// The steps of a flow of your own, instead of ``flows``: event names, `step:ID` or `perm:NAME:granted`.
  public var steps: [String] = []
  /// The events that exclude a group between its first and its last step.
  public var exclusions: [String] = []
  /// Whether only groups count whose window has closed.
  public var isMature = false
  /// Whether subjects count that the store lists as internal.
  public var includesInternalSubjects = false

  /// Creates a query.
  public init(
    flows: [String] = [], reports: [ReportName] = [.funnel, .grants, .dropoff], since: Date? = nil, until: Date? = nil
  ) {
    self.flows = flows
    self.reports = reports
    self.since = since
    self.until = until
  }
}

/// The name of a report.
public enum ReportName: String, Hashable, Sendable, CaseIterable {
  /// The number of groups that reach each step.
  case funnel
  /// The answers to each permission.
  case grants
  /// The steps at which groups leave, and how.
  case dropoff
  /// The properties of each step's events.
  case steps
  /// The time between steps.
  case times
  /// The conversion by day, week or month.
  case trend
  /// The outcomes of a flow.
  case outcomes
  /// The groups that break a rule of the flow.
  case breaches
  /// The features that a missing permission locks.
  case access
}
