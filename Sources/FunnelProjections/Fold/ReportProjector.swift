public import FunnelHistories
public import FunnelModel

/// The set of reports that a fold computes.
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

/// Computes several reports of one flow in one fold; the chain of a group is matched once for all of them.
public struct ReportProjector: Projector, Outliner {
  public static let name = "report"

  let flow: FlowDefinition
  let question: SegmentQuestion
  let clock: WindowClock
  private let selection: ReportSelection
  private let matcher: StepMatcher
  private let finder: StepMatchFinder
  private let funnel: FunnelProjector
  private let dropoff: DropoffProjector
  private let grants: GrantsProjector

  /// Creates the projector of all reports of a flow.
  public init(flow: FlowDefinition, query: ReportQuery) {
    self.init(flow: flow, query: query, selection: .all)
  }

  /// Creates the projector of the selected reports.
  public init(flow: FlowDefinition, query: ReportQuery, selection: ReportSelection) {
    self.flow = flow
    self.selection = selection
    question = SegmentQuestion(flow: flow, query: query)
    clock = WindowClock(flow: flow, query: query)
    matcher = StepMatcher(flow: flow, query: query)
    finder = StepMatchFinder(question, flow: flow, matcher: matcher)
    funnel = FunnelProjector(flow: flow, query: query)
    dropoff = DropoffProjector(
      flow: flow, query: query, counterBase: funnel.counterCount, durationBase: funnel.durationCount)
    grants = GrantsProjector(
      flow: flow, query: query, counterBase: funnel.counterCount + dropoff.counterCount,
      durationBase: funnel.durationCount + dropoff.durationCount)
  }

  var counterCount: Int { funnel.counterCount + dropoff.counterCount + grants.counterCount }
  var durationCount: Int { funnel.durationCount + dropoff.durationCount + grants.durationCount }

  public var emptyState: Tally { emptyTally }

  public func fold(_ journey: Journey, into state: inout Tally) { count(journey, into: &state) }

  func outline(_ events: UnsafeBufferPointer<JourneyEvent>, into outline: inout Outline, scratch: inout OutlineScratch) {
    if selection.contains(.grants) { grants.outlineAnswers(in: events, into: &outline, scratch: &scratch) }
    guard !selection.isDisjoint(with: [.funnel, .dropoff]) || finder.isNeeded else { return }
    let hasChain = matcher.match(events, into: &scratch.match)
    finder.note(hasChain ? scratch.match : nil, of: events, in: &outline)
    guard hasChain else { return }
    if selection.contains(.funnel) { funnel.outline(events, along: scratch.match, into: &outline) }
    if selection.contains(.dropoff) { dropoff.outline(events, along: scratch.match, into: &outline) }
  }

  /// Returns the rows of the selected reports, as one report about the flow.
  public func rows(from state: Tally) -> [FlowReport] {
    [
      FlowReport(
        funnel: selection.contains(.funnel) ? funnel.rows(from: state) : nil,
        grants: selection.contains(.grants) ? grants.rows(from: state) : nil,
        dropoff: selection.contains(.dropoff) ? dropoff.rows(from: state) : nil)
    ]
  }
}
