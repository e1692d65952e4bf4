public import FunnelModel

/// What one flow version adds to a report, nil for the reports not asked for.
public struct FlowReport: Hashable, Sendable {
  public var funnel: [FunnelRow]?
  public var grants: [GrantRow]?
  public var dropoff: [DropoffRow]?

  public init(funnel: [FunnelRow]? = nil, grants: [GrantRow]? = nil, dropoff: [DropoffRow]? = nil) {
    self.funnel = funnel
    self.grants = grants
    self.dropoff = dropoff
  }
}

extension Report {
  /// Puts the reports about several flows, in the order given, into one that holds the reports selected even where there is no flow.
  public init(query: ReportQuery, selection: ReportSelection, flows: [FlowReport]) {
    self.init(
      query: query,
      funnel: selection.contains(.funnel) ? flows.flatMap { $0.funnel ?? [] } : nil,
      grants: selection.contains(.grants) ? flows.flatMap { $0.grants ?? [] } : nil,
      dropoff: selection.contains(.dropoff) ? flows.flatMap { $0.dropoff ?? [] } : nil)
  }
}
