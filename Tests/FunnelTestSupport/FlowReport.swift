import FunnelProjections
package import FunnelModel
package import FunnelReports

/// The rows of the three reports that are printed when none is named; a report that was not requested is nil.
package struct FlowReport: Hashable, Sendable {
  package var funnel: [FunnelRow]?
  package var grants: [GrantRow]?
  package var dropoff: [DropoffRow]?

  package init(funnel: [FunnelRow]? = nil, grants: [GrantRow]? = nil, dropoff: [DropoffRow]? = nil) {
    self.funnel = funnel
    self.grants = grants
    self.dropoff = dropoff
  }

  package init(_ report: Report) {
    self.init(funnel: report.funnel, grants: report.grants, dropoff: report.dropoff)
  }

  /// Folds journeys with the projectors of all three reports.
  package init(of sequences: [StoredSequence], flow: FlowDefinition, query: ReportQuery) {
    let fold = JourneyFold(
      flow: flow, query: query, projectors: [FunnelProjector.self, GrantsProjector.self, DropoffProjector.self])
    let state = fold.state(of: sequences)
    self.init(
      funnel: fold.rows(of: FunnelProjector.self, from: state), grants: fold.rows(of: GrantsProjector.self, from: state),
      dropoff: fold.rows(of: DropoffProjector.self, from: state))
  }
}

extension Report {
  package init(
    query: ReportQuery, funnel: [FunnelRow]? = nil, grants: [GrantRow]? = nil, dropoff: [DropoffRow]? = nil
  ) {
    self.init(query: query)
    (self.funnel, self.grants, self.dropoff) = (funnel, grants, dropoff)
  }

  package var funnel: [FunnelRow]? {
    get { self[FunnelReport.self] }
    set { self[FunnelReport.self] = newValue }
  }
  package var grants: [GrantRow]? {
    get { self[GrantsReport.self] }
    set { self[GrantsReport.self] = newValue }
  }
  package var dropoff: [DropoffRow]? {
    get { self[DropoffReport.self] }
    set { self[DropoffReport.self] = newValue }
  }
}
