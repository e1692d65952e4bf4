package import FunnelModel
package import FunnelProjections

/// Checks the laws that every projector must obey: states of disjoint groups merge associatively and commutatively, an empty
/// state is neutral, and the order of folding does not matter.
///
/// - Parameter others: Further projectors of the same fold, whose counts precede those of the projector.
/// - Returns: The laws that were broken, or an empty array if all hold.
package func brokenLaws<P: Projector>(
  of type: P.Type, beside others: [any Projector.Type] = [], flow: FlowDefinition, query: ReportQuery,
  sequences: [StoredSequence], seed: UInt64
) -> [String] where P.Row: Equatable {
  let fold = JourneyFold(flow: flow, query: query, projectors: others + [type])

  func merged(_ left: Aggregate, _ right: Aggregate) -> Aggregate {
    var state = left
    state.merge(right)
    return state
  }

  var random = SeededGenerator(seed: seed)
  var parts: [[StoredSequence]] = [[], [], []]
  for sequence in sequences { parts[Int.random(in: 0..<3, using: &random)].append(sequence) }
  let (a, b, c) = (fold.state(of: parts[0]), fold.state(of: parts[1]), fold.state(of: parts[2]))
  let rows = fold.rows(of: type, from: fold.state(of: sequences))

  var broken: [String] = []
  func check(_ law: String, _ state: Aggregate) {
    if fold.rows(of: type, from: state) != rows { broken.append("\(type): \(law)") }
  }
  check("the order of folding shows", fold.state(of: sequences.shuffled(using: &random)))
  check("merging the parts is not folding the whole", merged(merged(a, b), c))
  check("merging is not associative", merged(a, merged(b, c)))
  check("merging is not commutative", merged(c, merged(b, a)))
  check("an empty state on the left is not neutral", merged(fold.emptyState, fold.state(of: sequences)))
  check("an empty state on the right is not neutral", merged(fold.state(of: sequences), fold.emptyState))
  return broken
}
