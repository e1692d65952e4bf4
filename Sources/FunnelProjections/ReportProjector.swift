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
  private let question: SegmentQuestion
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
    question = SegmentQuestion(query: query)
    funnel = FunnelProjector(flow: flow, query: query)
    grants = GrantsProjector(flow: flow, query: query)
    dropoff = DropoffProjector(flow: flow, query: query)
  }

  /// The groups counted so far, by report and segment.
  public struct State: ProjectionState {
    var segments = SegmentIndex()
    var funnel = SegmentedCells<FunnelCell>()
    var grants: GrantCounts
    var dropoff = SegmentedCells<DropoffCell>()
    var match = ChainMatch()

    init(permissionCount: Int) {
      grants = GrantCounts(permissionCount: permissionCount)
    }

    public mutating func merge(_ other: State) {
      let numbers = segments.merge(other.segments)
      funnel.merge(other.funnel, numbers: numbers)
      grants.merge(other.grants, numbers: numbers)
      dropoff.merge(other.dropoff, numbers: numbers)
    }
  }

  public var emptyState: State { State(permissionCount: grants.permissions.count) }

  public func fold(_ journey: Journey, into state: inout State) {
    if selection.contains(.grants) { grants.count(journey, segments: &state.segments, into: &state.grants) }
    guard !selection.isDisjoint(with: [.funnel, .dropoff]), matcher.match(journey, into: &state.match),
      let segment = state.segments.number(of: journey.events[state.match.anchor], in: journey, for: question)
    else { return }
    if selection.contains(.funnel) { funnel.count(journey, by: state.match, in: segment, into: &state.funnel) }
    if selection.contains(.dropoff) { dropoff.count(journey, by: state.match, in: segment, into: &state.dropoff) }
  }

  /// The rows of the reports selected, as one report about the flow.
  public func rows(from state: State) -> [FlowReport] {
    [
      FlowReport(
        funnel: selection.contains(.funnel) ? funnel.rows(from: state.funnel, in: state.segments) : nil,
        grants: selection.contains(.grants) ? grants.rows(from: state.grants, in: state.segments) : nil,
        dropoff: selection.contains(.dropoff) ? dropoff.rows(from: state.dropoff, in: state.segments) : nil)
    ]
  }
}
