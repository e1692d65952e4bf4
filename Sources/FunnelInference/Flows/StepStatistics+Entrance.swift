import FunnelModel

// Sentences about the subjects whom a draft does not count, because they never reach its first required step.
extension StepStatistics {
  /// The share of the subjects that may lack the first required step without a remark.
  private static let outsiderShareMax = 0.1

  /// Returns sentences about the subjects who never reach the first required step of a draft, or no sentences if they are few.
  func entranceRemarks(of counts: Counts) -> [String] {
    let steps = steps(of: counts)
    guard let index = steps.firstIndex(where: { !$0.isOptional }) else { return [] }
    let first = steps[index]
    let outsiders = counts.subjects - first.subjects
    guard Double(outsiders) > Self.outsiderShareMax * Double(counts.subjects) else { return [] }
    // Of the earlier steps, the one that counts most subjects is the best entrance.
    let earlier = steps[..<index].filter { $0.meaning != .leaving && $0.subjects > first.subjects }
      .max { ($0.subjects, $1.step) < ($1.subjects, $0.step) }
    let remedy = earlier.map { "make an earlier step required, such as \($0.id), which \(Quantity.count($0.subjects)) have" }
    return [
      "\(Quantity.count(outsiders)) of \(Quantity.count(counts.subjects)) subjects never reach \(first.id), the first required step, and will not count: \(remedy ?? "check the id of the subjects")"
    ] + middleRemarks(of: counts, steps, entrance: earlier ?? first)
  }

  /// Returns a sentence about the subjects whose records seem to begin in the middle of the flow, or no sentences.
  ///
  /// The first record of such a subject is a later step than the entrance, and is near the beginning of the input.
  private func middleRemarks(of counts: Counts, _ steps: [InferredFlow.Step], entrance: InferredFlow.Step) -> [String] {
    let later = Set(steps.drop { $0.step != entrance.step }.dropFirst().map(\.step))
    let drafted = Set(steps.map(\.step))
    let starts = zip(counts.orders, counts.times).compactMap { order, times -> (step: InferredStep, milliseconds: Int64)? in
      order.firstIndex(where: drafted.contains).map { (order[$0], times[$0]) }
    }
    guard let beginning = starts.map(\.milliseconds).min() else { return [] }
    let days = windowDays(of: counts)
    let count = starts.count {
      later.contains($0.step) && $0.milliseconds - beginning <= Int64(days) * Timestamp.millisecondsPerDay
    }
    guard count > 0 else { return [] }
    return [
      "the first record of \(Quantity.counted(count, "subject")) is a later step than \(entrance.id), and lies within the first \(days)d of the input: an export that begins in the middle of a flow makes early steps optional"
    ]
  }
}
