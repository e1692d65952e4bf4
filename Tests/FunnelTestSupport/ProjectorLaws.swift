import FunnelHistories
public import FunnelModel
public import FunnelProjections

/// The laws every projector keeps, whatever it counts: states of disjoint groups merge associatively and commutatively, an empty state
/// changes nothing, and the order of folding does not show.
///
/// - Returns: the laws that were broken; none where all hold.
public func brokenLaws<P: Projector>(
  of type: P.Type, flow: FlowDefinition, query: ReportQuery, journeys: [StoredJourney], seed: UInt64
) -> [String] where P.Row: Equatable {
  let projector = P(flow: flow, query: query)

  func folded(_ journeys: some Sequence<StoredJourney>) -> P.State {
    var state = projector.emptyState
    for journey in journeys { journey.withJourney { projector.fold($0, into: &state) } }
    return state
  }
  func merged(_ left: P.State, _ right: P.State) -> P.State {
    var state = left
    state.merge(right)
    return state
  }

  var random = ScenarioRandom(seed: seed)
  var parts: [[StoredJourney]] = [[], [], []]
  for journey in journeys { parts[Int.random(in: 0..<3, using: &random)].append(journey) }
  let (a, b, c) = (folded(parts[0]), folded(parts[1]), folded(parts[2]))
  let rows = projector.rows(from: folded(journeys))

  var broken: [String] = []
  func check(_ law: String, _ state: P.State) {
    if projector.rows(from: state) != rows { broken.append("\(P.name): \(law)") }
  }
  check("the order of folding shows", folded(journeys.shuffled(using: &random)))
  check("merging the parts is not folding the whole", merged(merged(a, b), c))
  check("merging is not associative", merged(a, merged(b, c)))
  check("merging is not commutative", merged(c, merged(b, a)))
  check("an empty state on the left is not neutral", merged(projector.emptyState, folded(journeys)))
  check("an empty state on the right is not neutral", merged(folded(journeys), projector.emptyState))
  return broken
}
