import FunnelDecoding
import FunnelIngest
import FunnelModel

// The conversion window of a draft, and sentences about its evidence.
extension StepStatistics {
  /// The number of steps that a sentence lists.
  private static let listedMax = 10

  /// The number of pairs of alternatives that a sentence lists.
  private static let alternativePairsShownMax = 3

  /// Returns a sentence about steps that may be alternatives of one step, or no sentences.
  func alternatives(of segments: [Segment]) -> [String] {
    var pairs: [String] = []
    for pair in segments.flatMap({ alternatives(of: $0.counts) }) where !pairs.contains(pair) { pairs.append(pair) }
    guard pairs.count > 1 else {
      return pairs.map {
        "everyone who reached a later step had \($0) before: if these are alternatives, make one step of both"
      }
    }
    return [
      "everyone who reached a later step had one step of each of these pairs before: if the two are alternatives, make one step of both: \(Self.list(pairs, atMost: Self.alternativePairsShownMax))"
    ]
  }

  /// Returns the pairs of steps that may be alternatives of one step.
  private func alternatives(of counts: Counts) -> [String] {
    let steps = steps(of: counts)
    let optional = steps.indices.filter { steps[$0].isOptional && steps[$0].meaning != .leaving }
    let paths = StepPaths(counts.orders, steps: steps.map(\.step))
    return optional.flatMap { first in
      optional.filter { $0 > first && paths.areAlternatives(first, $0) }.map { "\(steps[first].id) or \(steps[$0].id)" }
    }
  }

  /// Returns sentences about the steps that are drafted as optional because of an outcome, such as a rejection.
  func endingRemarks(of segments: [Segment]) -> [String] {
    segments.compactMap { segment in
      let steps = steps(of: segment.counts)
      let paths = StepPaths(segment.counts.orders, steps: steps.map(\.step))
      let endings = paths.endings
      let others = paths.without(endings)
      let changed = steps.indices.filter { steps[$0].isOptional && !endings.contains($0) && others.isRequired($0) }
        .filter { steps[$0].meaning == .regular }
      guard !endings.isEmpty, !changed.isEmpty else { return nil }
      let ends = Self.list(endings.sorted().map { steps[$0].id })
      let ids = Self.list(changed.map { steps[$0].id })
      return
        "\(ids) \(changed.count == 1 ? "is" : "are") optional only because nearly everybody stops at \(ends): if that is an "
        + "outcome, such as a rejection, move it from the steps to the outcomes, and make \(ids) required"
    }
  }

  /// Returns sentences about the steps that are not the goal because of their names.
  func meaningRemarks(of segments: [Segment]) -> [String] {
    let drafts = segments.map { steps(of: $0.counts) }
    let goals = Set(drafts.compactMap(\.last?.id))
    func ids(_ meaning: StepMeaning) -> [String] {
      Set(drafts.joined().filter { $0.meaning == meaning && !goals.contains($0.id) }.map(\.id)).sorted()
    }
    var sentences: [String] = []
    let leaving = ids(.leaving)
    if let first = leaving.first {
      sentences.append(
        leaving.count == 1
          ? "\(first) ends a visit, so it is optional and not the goal; --goal \(first) makes it the goal"
          : "\(Self.list(leaving)) end a visit, so they are optional and none is the goal; --goal \(first) makes it the goal")
    }
    if goal == nil, let draft = drafts.first { sentences += closingSentences(draft) }
    if let goal = drafts.first?.last {
      // A first `open` is never taken for the goal, and in the middle it may be the state of a ticket.
      let ambiguous = Set(
        drafts.flatMap { steps in
          steps.filter { StepMeaning.isAmbiguousVisit($0.id) && $0.position < (steps.last?.position ?? 0) }.map(\.id)
        })
      sentences += Self.visitingSentences(ids(.visiting).filter { !ambiguous.contains($0) }, goal: goal)
    }
    sentences += drafts.first?.last.map(returningSentences) ?? []
    if let draft = drafts.first { sentences += repeatingSentences(draft) }
    let undoing = ids(.undoing)
    if let first = undoing.first {
      sentences.append(
        "\(Self.list(undoing)) \(undoing.count == 1 ? "undoes" : "undo") something, so \(undoing.count == 1 ? "it is not" : "none is") the goal; --goal \(first) makes it the goal"
      )
    }
    let failing = ids(.failing)
    if let first = failing.first {
      sentences.append(
        failing.count == 1
          ? "\(first) reads as a failure or a refusal, so it is not the goal; --goal \(first) makes it the goal"
          : "\(Self.list(failing)) read as failures or refusals, so none is the goal; --goal \(first) makes it the goal")
    }
    return sentences
  }

  /// Returns sentences about the steps that come with each visit.
  ///
  /// - Parameters:
  ///   - visiting: The IDs of those that are not the goal.
  ///   - goal: The goal.
  private static func visitingSentences(_ visiting: [String], goal: InferredFlow.Step) -> [String] {
    var sentences: [String] = []
    if let first = visiting.first {
      sentences.append(
        "\(list(visiting)) \(visiting.count == 1 ? "comes" : "come") with each visit, so \(visiting.count == 1 ? "it is not" : "none is") the goal, and \(goal.id) is; --goal \(first) makes it the goal"
      )
    }
    if goal.meaning == .visiting, !StepMeaning.isAmbiguousVisit(goal.id) {
      sentences.append(
        "the goal is \(goal.id), which comes with each visit, because no other step can be it; --goal names another step")
    }
    return sentences
  }

  /// Returns a sentence about the steps that come again and again after the goal, or no sentences.
  private func repeatingSentences(_ steps: [InferredFlow.Step]) -> [String] {
    guard let last = steps.last, last.id != goal, StepMeaning.isGoodEnd(last.id), !isRepeating(last.step) else { return [] }
    let ids = steps.filter { $0.meaning == .regular && isRepeating($0.step) && $0.position > last.position }.map(\.id)
    guard let first = ids.first else { return [] }
    return [
      "\(Self.list(ids)) \(ids.count == 1 ? "comes" : "come") again and again, so \(ids.count == 1 ? "it is not" : "none is") the goal, and \(last.id) is; --goal \(first) makes it the goal"
    ]
  }

  /// Returns a sentence if most of those who reach the goal have it again and again, or no sentences. It may come with each visit.
  private func returningSentences(_ last: InferredFlow.Step) -> [String] {
    let count = returningCounts[last.step] ?? 0
    let reachedCount = whole.positions[last.step]?.count ?? 0
    guard last.id != goal, last.meaning == .regular, !StepMeaning.isGoodEnd(last.id),
      count > 1, Double(count) >= Self.repeatingShareMin * Double(reachedCount)
    else { return [] }
    return [
      "\(Quantity.count(count)) of the \(Quantity.count(reachedCount)) subjects who reach \(last.id), the goal, have it again and again, also a day after all other steps: if it comes with each visit, name another goal with --goal"
    ]
  }

  /// The conversion windows that a draft may have, in days. The first one is usual for onboarding.
  private static let windows = [7, 14, 30, 60, 90, 180, 365]
  /// The share of completions that the drafted window contains.
  private static let withinShareMin = 0.95

  /// Returns the times in milliseconds from the first required step to the goal, of those who reach both in this order.
  private func spans(of counts: Counts) -> (first: String, goal: String, spans: [Int64]) {
    let steps = steps(of: counts)
    guard let first = steps.first(where: { !$0.isOptional }), let goal = steps.last else { return ("", "", []) }
    let spans = zip(counts.orders, counts.times).compactMap { order, times -> Int64? in
      guard let start = order.firstIndex(of: first.step), let end = order.firstIndex(of: goal.step), start < end else {
        return nil
      }
      return times[end] - times[start]
    }
    return (first.id, goal.id, spans)
  }

  /// Returns the number of spans that are longer than a window.
  private static func lateCount(_ spans: [Int64], days: Int) -> Int { spans.count { $0 > Int64(days) * 86_400_000 } }

  /// Returns the conversion window of a draft: the shortest one in which nearly all completions are.
  func windowDays(of counts: Counts) -> Int {
    let spans = spans(of: counts).spans
    let lateMax = (1 - Self.withinShareMin) * Double(spans.count)
    return Self.windows.first { Double(Self.lateCount(spans, days: $0)) <= lateMax } ?? Self.windows[Self.windows.count - 1]
  }

  /// Returns sentences about the window: why it is not the usual one, and the subjects who reach the goal after it.
  func windowRemarks(of counts: Counts) -> [String] {
    let (first, goal, spans) = spans(of: counts)
    let days = windowDays(of: counts)
    func remark(_ late: Int, after lateDays: Int) -> String {
      "window \(days)d: \(Quantity.count(late)) of \(Quantity.count(spans.count)) subjects who reach \(goal) do so more than \(lateDays) days after \(first)"
    }
    let usual = days == Self.windows[0] ? [] : [remark(Self.lateCount(spans, days: Self.windows[0]), after: Self.windows[0])]
    let late = Self.lateCount(spans, days: days)
    guard late > 0 else { return usual }
    let longer = Self.windows.first { Self.lateCount(spans, days: $0) == 0 }
    let advice =
      longer.map { "window \($0)d counts \(late == 1 ? "it" : "them")" }
      ?? "only a window over \(Self.windows[Self.windows.count - 1])d counts all of them"
    return usual + ["\(remark(late, after: days)), and \(late == 1 ? "does" : "do") not count; \(advice)"]
  }

  /// The smallest number of subjects for which a sentence says that all of them complete.
  private static let wholeSubjectsMin = 10

  /// Returns a sentence if all who have the first required step reach the goal, beside optional steps, or no sentences.
  func wholeCompletion(of counts: Counts) -> [String] {
    let steps = steps(of: counts)
    let optional = steps.filter(\.isOptional)
    guard let first = steps.first(where: { !$0.isOptional }), !optional.isEmpty, first.subjects >= Self.wholeSubjectsMin else {
      return []
    }
    let (firstID, goal, spans) = spans(of: counts)
    guard firstID != goal, spans.count == first.subjects else { return [] }
    let late = Self.lateCount(spans, days: windowDays(of: counts))
    let reached =
      late == 0
      ? "all \(Quantity.count(first.subjects)) subjects who have \(firstID) reach \(goal), so the draft converts 100 %"
      : "all \(Quantity.count(first.subjects)) subjects who have \(firstID) reach \(goal), \(Quantity.count(first.subjects - late)) of them within \(windowDays(of: counts))d"
    // The conversion of a step that is counted too low says nothing.
    let misplaced = Set(eitherOrders(of: counts).map(\.optional))
    let example = optional.first { !misplaced.contains($0.id) }
    return [reached + (example.map { ": are optional steps such as \($0.id) what matters?" } ?? "")]
  }

  /// Returns a sentence about the steps that exceed the maximum of a definition, or no sentences.
  func surplusSteps(of counts: Counts) -> [String] {
    let kept = Set(steps(of: counts).map(\.step))
    let surplus = counts.positions.keys.filter { counts.share($0) >= shareMin && !kept.contains($0) }.sorted()
    guard !surplus.isEmpty else { return [] }
    return [
      "left out, as a definition has at most \(Limits.flowStepsMax) steps, and these are the rarest: \(Self.list(surplus.map(\.id)))"
    ]
  }

  /// Returns sentences about the steps that too few subjects have: those that are kept, those that come after the goal, and the others.
  func rareSteps(of segments: [Segment]) -> [String] {
    let drafts = segments.map { steps(of: $0.counts) }
    let used = Set(drafts.joined().map(\.step))
    let late = Set(zip(segments, drafts).flatMap { rareSteps(of: $0.counts, after: $1) })
    let rare = whole.positions.filter { whole.share($0.key) < shareMin && $0.key.id != goal }.sorted { $0.key < $1.key }
    func texts(where isWanted: (InferredStep) -> Bool) -> [String] {
      rare.filter { isWanted($0.key) }.map { "\($0.key.id) (\($0.value.count))" }
    }
    let share = "fewer than \(PercentText.text(shareMin)) of the subjects"
    var sentences: [String] = []
    let kept = texts { used.contains($0) }
    if !kept.isEmpty {
      sentences.append(
        "\(Self.list(kept)): \(share) have \(kept.count == 1 ? "it" : "them"), kept as \(kept.count == 1 ? "it comes" : "they come") after all else and \(kept.count == 1 ? "is named like a good end" : "are named like good ends")"
      )
    }
    let later = texts { late.contains($0) && !used.contains($0) }
    if let goal = drafts.first?.last, let first = rare.first(where: { late.contains($0.key) && !used.contains($0.key) }) {
      sentences.append(
        "\(Self.list(later)) \(later.count == 1 ? "comes" : "come") after \(goal.id), the goal, but \(share) have \(later.count == 1 ? "it" : "them"); --goal \(first.key.id) makes it the goal"
      )
    }
    let others = texts { !late.contains($0) && !used.contains($0) }
    if !others.isEmpty { sentences.append("left out, as \(share) have them: \(Self.list(others))") }
    return sentences
  }

  /// Joins the first texts with commas, and counts the others.
  private static func list(_ texts: [String], atMost shownMax: Int = listedMax) -> String {
    let shown = texts.prefix(shownMax).joined(separator: ", ")
    return shown + (texts.count > shownMax ? " and \(texts.count - shownMax) more" : "")
  }
}
