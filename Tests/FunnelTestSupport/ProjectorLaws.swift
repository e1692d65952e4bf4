public import FunnelModel
public import FunnelProjections

/// Checks the laws that every projector must obey: states of disjoint groups merge associatively and commutatively, an empty
/// state is neutral, and the order of folding does not matter.
///
/// - Parameter others: Further projectors of the same fold, whose counts precede those of the projector.
/// - Returns: The laws that were broken, or an empty array if all hold.
public func brokenLaws<P: Projector>(
  of type: P.Type, beside others: [any Projector.Type] = [], flow: FlowDefinition, query: ReportQuery,
  journeys: [StoredJourney], seed: UInt64
) -> [String] where P.Row: Equatable {
  let fold = JourneyFold(flow: flow, query: query, projectors: others + [type])

  func merged(_ left: Tally, _ right: Tally) -> Tally {
    var state = left
    state.merge(right)
    return state
  }

  var random = SeededGenerator(seed: seed)
  var parts: [[StoredJourney]] = [[], [], []]
  for journey in journeys { parts[Int.random(in: 0..<3, using: &random)].append(journey) }
  let (a, b, c) = (fold.state(of: parts[0]), fold.state(of: parts[1]), fold.state(of: parts[2]))
  let rows = fold.rows(of: type, from: fold.state(of: journeys))

  var broken: [String] = []
  func check(_ law: String, _ state: Tally) {
    if fold.rows(of: type, from: state) != rows { broken.append("\(type): \(law)") }
  }
  check("the order of folding shows", fold.state(of: journeys.shuffled(using: &random)))
  check("merging the parts is not folding the whole", merged(merged(a, b), c))
  check("merging is not associative", merged(a, merged(b, c)))
  check("merging is not commutative", merged(c, merged(b, a)))
  check("an empty state on the left is not neutral", merged(fold.emptyState, fold.state(of: journeys)))
  check("an empty state on the right is not neutral", merged(fold.state(of: journeys), fold.emptyState))
  return broken
}
