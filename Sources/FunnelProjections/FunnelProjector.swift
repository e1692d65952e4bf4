public import FunnelJourneys
public import FunnelModel

/// How many groups reach each step of a flow, and how long they take (contract section 3).
public struct FunnelProjector: Projector {
  public static let name = "funnel"

  let flow: FlowDefinition
  let matcher: StepMatcher
  let question: SegmentQuestion
  let windowMilliseconds: Int64
  /// Where steps come in any order, an optional one has no place between them and is not counted.
  let countsOptionalSteps: Bool

  public init(flow: FlowDefinition, query: ReportQuery) {
    self.flow = flow
    matcher = StepMatcher(flow: flow, query: query)
    question = SegmentQuestion(query: query)
    windowMilliseconds = query.windowMilliseconds(for: flow)
    countsOptionalSteps = query.order != .any
  }

  /// The groups counted so far, by segment.
  public struct State: ProjectionState {
    var segments = SegmentIndex()
    var cells = SegmentedCells<FunnelCell>()
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
  func count(_ journey: Journey, by match: ChainMatch, in segment: Int, into cells: inout SegmentedCells<FunnelCell>) {
    let place = cells.place(of: segment, orAdd: FunnelCell(stepCount: flow.steps.count))
    cells[place].count(journey, by: match, with: matcher)
  }
}

/// The funnel of one segment. The arrays have an element for each step of the flow.
struct FunnelCell: SegmentCell {
  private(set) var groupCount = 0
  private(set) var completed = 0
  /// Groups that ended at a step, by the step: dropped, or still in progress.
  private(set) var dropped: [Int]
  private(set) var inProgress: [Int]
  /// Groups that reached an optional step.
  private(set) var optionalReached: [Int]
  /// Time from the match of the required step before.
  private(set) var times: [DurationDistribution]

  init(stepCount: Int) {
    dropped = Array(repeating: 0, count: stepCount)
    inProgress = dropped
    optionalReached = dropped
    times = Array(repeating: DurationDistribution(), count: stepCount)
  }

  mutating func count(_ journey: Journey, by match: ChainMatch, with matcher: StepMatcher) {
    groupCount += 1
    if match.level == matcher.requiredSteps.count {
      completed += 1
    } else if match.isOpen {
      inProgress[matcher.requiredSteps[match.level - 1]] += 1
    } else {
      dropped[matcher.requiredSteps[match.level - 1]] += 1
    }
    let events = journey.events
    for place in 1..<max(1, match.level) {
      let time = events[match[place]].milliseconds - events[match[place - 1]].milliseconds
      times[matcher.requiredSteps[place]].record(time)
    }
    for optional in matcher.optionalSteps {
      guard let entry = matcher.entry(of: optional, in: journey, along: match) else { continue }
      optionalReached[optional.step] += 1
      guard let previous = optional.previous else { continue }
      times[optional.step].record(events[entry].milliseconds - events[match[previous]].milliseconds)
    }
  }

  mutating func merge(_ other: FunnelCell) {
    groupCount += other.groupCount
    completed += other.completed
    for step in dropped.indices {
      dropped[step] += other.dropped[step]
      inProgress[step] += other.inProgress[step]
      optionalReached[step] += other.optionalReached[step]
      times[step].merge(other.times[step])
    }
  }
}
