import FunnelModel

// Optional steps that a flow counts too low, because people have them before or after the required steps beside them.
extension StepStatistics {
  /// An optional step and a required step beside it that subjects have in either order.
  struct EitherOrder: Hashable {
    /// The ID of the optional step.
    let optional: String
    /// The ID of the required step.
    let required: String
    /// Whether the optional step comes after the required one in the draft.
    let isAfter: Bool
    /// Whether the required step is the first one of the draft, where people enter.
    let isEntrance: Bool
    /// The number of subjects who have both steps, the optional one first.
    var optionalFirst = 0
    /// The number of subjects who have both steps, the required one first.
    var requiredFirst = 0
    /// The number of subjects who have at least one of the steps.
    var either = 0

    /// The number of subjects who have both steps.
    var both: Int { optionalFirst + requiredFirst }
    /// The number of subjects whose optional step a report does not count.
    var uncounted: Int { isAfter ? optionalFirst : requiredFirst }
  }

  /// The smallest number of subjects with two steps whose order is compared.
  private static let pairSubjectsMin = 10
  /// The least share of the subjects with both steps that have them in the order that a report does not count.
  private static let uncountedShareMin = 0.1
  /// The least share of the subjects with the optional step that have the required step too.
  private static let bothShareMin = 0.5
  /// The number of pairs with a sentence of their own.
  private static let pairsShownMax = 3

  /// Returns sentences about the optional steps that come in either order with a required step.
  func eitherOrderRemarks(of segments: [Segment]) -> [String] {
    var sentences: [String] = []
    for sentence in segments.flatMap({ eitherOrders(of: $0.counts) }).map(Self.sentence) where !sentences.contains(sentence) {
      sentences.append(sentence)
    }
    let more = sentences.count - Self.pairsShownMax
    guard more > 0 else { return sentences }
    return sentences.prefix(Self.pairsShownMax) + [
      "the same applies to \(Quantity.counted(more, "more optional step"))"
    ]
  }

  /// Returns the optional steps that come in either order with the required step before or after them, each with the one of
  /// the two that fewer of its subjects count with.
  func eitherOrders(of counts: Counts) -> [EitherOrder] {
    let steps = steps(of: counts)
    // A screen and a permission may have one ID.
    let subjects = Dictionary(steps.map { ($0.id, $0.subjects) }, uniquingKeysWith: { max($0, $1) })
    let misplaced = Self.counted(Self.neighbors(of: steps), steps, counts).filter { pair in
      let uncountedMin = Self.uncountedShareMin * Double(pair.both)
      return pair.both >= Self.pairSubjectsMin && Double(pair.both) >= Self.bothShareMin * Double(subjects[pair.optional] ?? 0)
        && Double(pair.uncounted) >= uncountedMin && Double(pair.both - pair.uncounted) >= uncountedMin
    }
    var worst: [EitherOrder] = []
    for pair in misplaced {
      guard let last = worst.last, last.optional == pair.optional else {
        worst.append(pair)
        continue
      }
      if last.uncounted < pair.uncounted { worst[worst.count - 1] = pair }
    }
    return worst
  }

  /// A pair without counts, and the indices of its steps in the draft.
  private typealias Neighbors = (pair: EitherOrder, optional: Int, required: Int)

  /// Returns the optional steps of a draft, in order, each with the required step before and with the one after it.
  private static func neighbors(of steps: [InferredFlow.Step]) -> [Neighbors] {
    let entrance = steps.firstIndex { !$0.isOptional }
    return steps.indices.filter { steps[$0].isOptional && steps[$0].meaning == .regular }.flatMap { index in
      let previous = steps[..<index].lastIndex { !$0.isOptional }
      // A report counts an optional step after the last required one too.
      let next = steps[index...].firstIndex { !$0.isOptional }.flatMap { $0 < steps.count - 1 ? $0 : nil }
      return [previous, next].compactMap(\.self).map { required in
        let pair = EitherOrder(
          optional: steps[index].id, required: steps[required].id, isAfter: required < index, isEntrance: required == entrance)
        return (pair, index, required)
      }
    }
  }

  /// Counts the subjects who have the two steps of each pair, by order.
  private static func counted(_ neighbors: [Neighbors], _ steps: [InferredFlow.Step], _ counts: Counts) -> [EitherOrder] {
    let indices = Dictionary(uniqueKeysWithValues: steps.enumerated().map { ($1.step, $0) })
    var pairs = neighbors.map(\.pair)
    guard !pairs.isEmpty else { return [] }
    for order in counts.orders {
      var positions: [Int?] = Array(repeating: nil, count: steps.count)
      for (position, step) in order.enumerated() { if let index = indices[step] { positions[index] = position } }
      for (number, pair) in neighbors.enumerated() {
        switch (positions[pair.optional], positions[pair.required]) {
        case (nil, nil): continue
        case (let optional?, let required?) where optional < required: pairs[number].optionalFirst += 1
        case (_?, _?): pairs[number].requiredFirst += 1
        default: break
        }
        pairs[number].either += 1
      }
    }
    return pairs
  }

  private static func sentence(_ pair: EitherOrder) -> String {
    let who =
      pair.both == pair.either
      ? "all \(Quantity.count(pair.both)) subjects who have one of them have both"
      : "\(Quantity.count(pair.both)) of the \(Quantity.count(pair.either)) subjects who have one of them have both"
    let anyOrder = "make \(pair.optional) required and use --order any"
    let advice =
      pair.isEntrance ? anyOrder : "make \(pair.required) optional too, and each counts in either order, or \(anyOrder)"
    return
      "\(pair.optional) and \(pair.required) come in either order (\(Quantity.count(pair.optionalFirst)) and \(Quantity.count(pair.requiredFirst))), "
      + "and \(who): \(pair.optional) counts only those who have it \(pair.isAfter ? "after" : "before") \(pair.required); \(advice)"
  }
}
