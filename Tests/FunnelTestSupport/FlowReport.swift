import FunnelProjections
public import FunnelModel
public import FunnelReports

/// The rows of the three reports that are printed when none is named; a report that was not requested is nil.
public struct FlowReport: Hashable, Sendable {
  public var funnel: [FunnelRow]?
  public var grants: [GrantRow]?
  public var dropoff: [DropoffRow]?

  public init(funnel: [FunnelRow]? = nil, grants: [GrantRow]? = nil, dropoff: [DropoffRow]? = nil) {
    self.funnel = funnel
    self.grants = grants
    self.dropoff = dropoff
  }

  public init(_ report: Report) {
    self.init(funnel: report.funnel, grants: report.grants, dropoff: report.dropoff)
  }

  /// Folds journeys with the projectors of all three reports.
  public init(of sequences: [StoredSequence], flow: FlowDefinition, query: ReportQuery) {
    let fold = JourneyFold(
      flow: flow, query: query, projectors: [FunnelProjector.self, GrantsProjector.self, DropoffProjector.self])
    let state = fold.state(of: sequences)
    self.init(
      funnel: fold.rows(of: FunnelProjector.self, from: state), grants: fold.rows(of: GrantsProjector.self, from: state),
      dropoff: fold.rows(of: DropoffProjector.self, from: state))
  }
}

extension Report {
  public init(
    query: ReportQuery, funnel: [FunnelRow]? = nil, grants: [GrantRow]? = nil, dropoff: [DropoffRow]? = nil
  ) {
    self.init(query: query)
    (self.funnel, self.grants, self.dropoff) = (funnel, grants, dropoff)
  }

  public var funnel: [FunnelRow]? {
    get { self[FunnelReport.self] }
    set { self[FunnelReport.self] = newValue }
  }
  public var grants: [GrantRow]? {
    get { self[GrantsReport.self] }
    set { self[GrantsReport.self] = newValue }
  }
  public var dropoff: [DropoffRow]? {
    get { self[DropoffReport.self] }
    set { self[DropoffReport.self] = newValue }
  }
}
