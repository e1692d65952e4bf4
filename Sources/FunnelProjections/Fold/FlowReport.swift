public import FunnelModel

/// The reports about one flow version; a report that was not requested is nil.
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
  /// Combines the reports about several flows, in the order given. Selected reports are present even if there is no flow.
  public init(query: ReportQuery, selection: ReportSelection, flows: [FlowReport]) {
    self.init(
      query: query,
      funnel: selection.contains(.funnel) ? flows.flatMap { $0.funnel ?? [] } : nil,
      grants: selection.contains(.grants) ? flows.flatMap { $0.grants ?? [] } : nil,
      dropoff: selection.contains(.dropoff) ? flows.flatMap { $0.dropoff ?? [] } : nil)
  }
}
