public import FunnelJourneys
public import FunnelModel

/// The reports a fold computes.
public struct ReportSelection: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  public static let funnel = ReportSelection(rawValue: 1)
  public static let grants = ReportSelection(rawValue: 2)
  public static let dropoff = ReportSelection(rawValue: 4)
  public static let all: ReportSelection = [.funnel, .grants, .dropoff]
}

/// Several reports of one flow in one fold: the chain of a group is matched once for all of them.
public struct ReportProjector: Projector {
  public static let name = "report"

  private let selection: ReportSelection
  private let matcher: StepMatcher
  private let segmentation: Segmentation
  private let funnel: FunnelProjector
  private let grants: GrantsProjector
  private let dropoff: DropoffProjector

  /// Makes the projector of all reports of a flow.
  public init(flow: FlowDefinition, query: ReportQuery) {
    self.init(flow: flow, query: query, selection: .all)
  }

  /// Makes the projector of the reports selected.
  public init(flow: FlowDefinition, query: ReportQuery, selection: ReportSelection) {
    self.selection = selection
    matcher = StepMatcher(flow: flow, query: query)
    segmentation = Segmentation(query: query)
    funnel = FunnelProjector(flow: flow, query: query)
    grants = GrantsProjector(flow: flow, query: query)
    dropoff = DropoffProjector(flow: flow, query: query)
  }

  /// The groups counted so far, by report.
  public struct State: ProjectionState {
    var funnel: FunnelProjector.State
    var grants: GrantsProjector.State
    var dropoff: DropoffProjector.State
    private(set) var match = ChainMatch()

    init(funnel: FunnelProjector.State, grants: GrantsProjector.State, dropoff: DropoffProjector.State) {
      self.funnel = funnel
      self.grants = grants
      self.dropoff = dropoff
    }

    public mutating func merge(_ other: State) {
      funnel.merge(other.funnel)
      grants.merge(other.grants)
      dropoff.merge(other.dropoff)
    }

    mutating func find(_ matcher: StepMatcher, in journey: Journey) -> Bool { matcher.match(journey, into: &match) }
  }

  public var emptyState: State {
    State(funnel: funnel.emptyState, grants: grants.emptyState, dropoff: dropoff.emptyState)
  }

  public func fold(_ journey: Journey, into state: inout State) {
    if selection.contains(.grants) { grants.fold(journey, into: &state.grants) }
    guard !selection.isDisjoint(with: [.funnel, .dropoff]), state.find(matcher, in: journey),
      let segment = segmentation.segment(of: journey, at: state.match.anchor)
    else { return }
    if selection.contains(.funnel) { funnel.count(journey, by: state.match, in: segment, into: &state.funnel.cells) }
    if selection.contains(.dropoff) { dropoff.count(journey, by: state.match, in: segment, into: &state.dropoff.cells) }
  }

  /// The rows of the reports selected, as one report about the flow.
  public func rows(from state: State) -> [FlowReport] {
    [
      FlowReport(
        funnel: selection.contains(.funnel) ? funnel.rows(from: state.funnel) : nil,
        grants: selection.contains(.grants) ? grants.rows(from: state.grants) : nil,
        dropoff: selection.contains(.dropoff) ? dropoff.rows(from: state.dropoff) : nil)
    ]
  }
}
