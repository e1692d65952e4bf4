public import FunnelJourneys
public import FunnelModel

/// Where and how groups leave a flow (contract section 3).
public struct DropoffProjector: Projector {
  public static let name = "dropoff"

  private let flow: FlowDefinition
  let matcher: StepMatcher
  private let segmentation: Segmentation

  public init(flow: FlowDefinition, query: ReportQuery) {
    self.flow = flow
    matcher = StepMatcher(flow: flow, query: query)
    segmentation = Segmentation(query: query)
  }

  /// The groups counted so far, by segment.
  public struct State: ProjectionState {
    var cells = SegmentedCells<DropoffCell>()
    private(set) var match = ChainMatch()

    public mutating func merge(_ other: State) { cells.merge(other.cells) }

    mutating func find(_ matcher: StepMatcher, in journey: Journey) -> Bool { matcher.match(journey, into: &match) }
  }

  public var emptyState: State { State() }

  public func fold(_ journey: Journey, into state: inout State) {
    guard state.find(matcher, in: journey), let segment = segmentation.segment(of: journey, at: state.match.anchor)
    else { return }
    count(journey, by: state.match, in: segment, into: &state.cells)
  }

  /// Counts a group whose chain is known.
  func count(_ journey: Journey, by match: ChainMatch, in segment: Segment, into cells: inout SegmentedCells<DropoffCell>) {
    let requiredCount = matcher.requiredSteps.count
    let index = cells.index(of: segment, orAdd: DropoffCell(requiredCount: requiredCount))
    cells[index].count(journey, by: match, isCompleted: match.level == requiredCount)
  }

  public func rows(from state: State) -> [DropoffRow] {
    state.cells.ordered.map { segment, cell in
      DropoffRow(
        key: RowKey(flow: flow, segment: segment),
        title: flow.title,
        entered: cell.groupCount,
        dropped: cell.places.reduce(0) { $0 + $1.dropped },
        steps: steps(of: cell))
    }
  }

  private func steps(of cell: DropoffCell) -> [DropoffStepRow] {
    var reached = cell.groupCount
    return zip(matcher.requiredSteps, cell.places).map { step, place in
      let row = DropoffStepRow(
        id: flow.steps[step].id,
        label: flow.steps[step].label,
        dropped: place.dropped,
        shareOfEntered: Rate.share(place.dropped, of: cell.groupCount),
        shareOfReached: Rate.share(place.dropped, of: reached),
        exits: place.exits,
        dwell: place.dwell.quantiles)
      reached -= place.dropped + place.inProgress
      return row
    }
  }
}
