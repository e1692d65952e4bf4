internal import FunnelModel
internal import FunnelReports

extension Report {
  /// A proportion with its 95 % interval (Wilson).
  public struct Rate: Hashable, Sendable {
    /// The proportion, from 0 to 1.
    public let value: Double
    /// The lower end of the interval.
    public let low: Double
    /// The upper end of the interval.
    public let high: Double
    /// The number of groups of which it is a part.
    public let denominator: Int
  }

  /// The distribution of a time.
  public struct Times: Hashable, Sendable {
    /// The median.
    public let median: Duration
    /// The time that 90 % of the groups do not exceed.
    public let p90: Duration
    /// The time that 99 % of the groups do not exceed.
    public let p99: Duration
  }

  /// The funnel of one flow version in one segment.
  public struct Funnel: Hashable, Sendable {
    /// One step. A property that does not apply to an optional step is `nil`.
    public struct Step: Hashable, Sendable {
      public let id: String
      public let label: String
      public let isOptional: Bool
      /// The number of groups that reached the step.
      public let reached: Int?
      /// The share of the groups that reached the previous required step.
      public let fromPrevious: Double?
      /// The share of the groups that entered the flow.
      public let fromStart: Double?
      /// The number of groups that dropped off after this step.
      public let dropped: Int?
      /// The time from the previous required step.
      public let timeFromPrevious: Times?
    }

    /// The flow version, such as `cleaner/permissions_flow@1`.
    public let flow: String
    /// One value for each dimension of the query, or `nil` where it is absent.
    public let segment: [String?]
    /// The number of groups that entered the flow.
    public let entered: Int
    /// The number of groups that reached the last step.
    public let completed: Int
    /// The number of groups that did not complete and whose window is open.
    public let inProgress: Int
    /// The number of groups that did not complete and whose window has closed.
    public let dropped: Int
    /// The share of the entered groups that completed, or `nil` if none entered.
    public let conversion: Rate?
    /// The same share of the groups whose window has closed. It no longer changes.
    public let closedConversion: Rate?
    public let steps: [Step]
  }

  /// The answers to one permission in one flow version and segment.
  public struct Grants: Hashable, Sendable {
    /// The flow version, such as `cleaner/permissions_flow@1`.
    public let flow: String
    /// One value for each dimension of the query, or `nil` where it is absent.
    public let segment: [String?]
    /// The name of the permission.
    public let permission: String
    /// The number of groups that were asked.
    public let prompted: Int
    public let granted: Int
    /// The number of groups that granted in part.
    public let limited: Int
    public let denied: Int
    public let skipped: Int
    public let unanswered: Int
    /// The share of the asked groups that granted.
    public let grantRate: Rate?
    /// The share of the asked groups that have full or partial access.
    public let accessRate: Rate?
    /// The time until the first answer.
    public let decisionTime: Times?
  }

  /// The drop-off of one flow version in one segment.
  public struct Dropoff: Hashable, Sendable {
    /// The groups that left at one required step.
    public struct Step: Hashable, Sendable {
      public let id: String
      public let label: String
      /// The number of groups that left.
      public let dropped: Int
      /// The share of the groups that reached the step.
      public let shareOfReached: Double?
      /// The number of completions that the step cost, estimated from the groups that went on.
      public let lostCompletions: Double?
      /// The numbers of groups by the way they left, such as `back`.
      public let exits: [String: Int]
    }

    /// The flow version, such as `cleaner/permissions_flow@1`.
    public let flow: String
    /// One value for each dimension of the query, or `nil` where it is absent.
    public let segment: [String?]
    public let entered: Int
    public let dropped: Int
    public let steps: [Step]
  }
}

extension RowKey {
  /// The reference of the flow version.
  fileprivate var reference: String { version.map { "\(app)/\(flow)@\($0)" } ?? "\(app)/\(flow)" }

  /// The values as text, `nil` where one is absent.
  fileprivate var texts: [String?] { segment.map { $0 == .null ? nil : $0.description } }
}

extension Report.Rate {
  fileprivate init(_ rate: FunnelModel.Rate) {
    self.init(value: rate.value, low: rate.low, high: rate.high, denominator: rate.denominator)
  }
}

extension Report.Times {
  fileprivate init(_ quantiles: Quantiles) {
    self.init(
      median: .milliseconds(quantiles.p50), p90: .milliseconds(quantiles.p90), p99: .milliseconds(quantiles.p99))
  }
}

extension Report.Funnel {
  init(_ row: FunnelRow) {
    self.init(
      flow: row.key.reference, segment: row.key.texts, entered: row.entered, completed: row.completed,
      inProgress: row.inProgress, dropped: row.dropped, conversion: row.conversion.map(Report.Rate.init),
      closedConversion: row.closed.conversion.map(Report.Rate.init),
      steps: row.steps.map { step in
        Step(
          id: step.id, label: step.label, isOptional: step.isOptional, reached: step.reached, fromPrevious: step.fromPrevious,
          fromStart: step.fromStart, dropped: step.dropped, timeFromPrevious: step.timeFromPrevious.map(Report.Times.init))
      })
  }
}

extension Report.Grants {
  init(_ row: GrantRow) {
    self.init(
      flow: row.key.reference, segment: row.key.texts, permission: row.permission, prompted: row.prompted,
      granted: row.granted, limited: row.limited, denied: row.denied, skipped: row.skipped, unanswered: row.unanswered,
      grantRate: row.grantRate.map(Report.Rate.init), accessRate: row.accessRate.map(Report.Rate.init),
      decisionTime: row.decisionTime.map(Report.Times.init))
  }
}

extension Report.Dropoff {
  init(_ row: DropoffRow) {
    self.init(
      flow: row.key.reference, segment: row.key.texts, entered: row.entered, dropped: row.dropped,
      steps: row.steps.map { step in
        let exits = zip(ExitKind.allCases, step.exits).map { (String(describing: $0), $1) }
        return Step(
          id: step.id, label: step.label, dropped: step.dropped, shareOfReached: step.shareOfReached,
          lostCompletions: step.lostCompletions, exits: Dictionary(uniqueKeysWithValues: exits))
      })
  }
}
