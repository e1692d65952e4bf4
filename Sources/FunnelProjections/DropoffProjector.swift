public import FunnelJourneys
public import FunnelModel

/// Where and how groups leave a flow (contract section 3).
public struct DropoffProjector: Projector {
  public static let name = "dropoff"

  private let flow: FlowDefinition
  let matcher: StepMatcher
  private let question: SegmentQuestion

  public init(flow: FlowDefinition, query: ReportQuery) {
    self.flow = flow
    matcher = StepMatcher(flow: flow, query: query)
    question = SegmentQuestion(query: query)
  }

  /// The groups counted so far, by segment.
  public struct State: ProjectionState {
    var segments = SegmentIndex()
    var cells = SegmentedCells<DropoffCell>()
    var match = ChainMatch()

    public mutating func merge(_ other: State) {
      cells.merge(other.cells, numbers: segments.merge(other.segments))
    }
  }

  public var emptyState: State { State() }

  public func fold(_ journey: Journey, into state: inout State) {
    guard matcher.match(journey, into: &state.match),
      let segment = state.segments.number(of: journey.events[state.match.anchor], in: journey, for: question)
    else { return }
    count(journey, by: state.match, in: segment, into: &state.cells)
  }

  /// Counts a group whose chain and segment are known.
  func count(_ journey: Journey, by match: ChainMatch, in segment: Int, into cells: inout SegmentedCells<DropoffCell>) {
    let place = cells.place(of: segment, orAdd: DropoffCell(requiredCount: matcher.requiredSteps.count))
    cells[place].count(journey, by: match, isCompleted: match.level == matcher.requiredSteps.count)
  }

  public func rows(from state: State) -> [DropoffRow] {
    rows(from: state.cells, in: state.segments)
  }

  func rows(from cells: SegmentedCells<DropoffCell>, in segments: SegmentIndex) -> [DropoffRow] {
    cells.ordered(in: segments).map { segment, cell in
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
