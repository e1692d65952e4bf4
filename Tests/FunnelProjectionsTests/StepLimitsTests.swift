import FunnelSequences
@testable import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelTestSupport
import Testing

/// Step windows, smallest gaps and exclusions, matched by the definition's words: each anchor, each step and each exclusion is searched for
/// from the beginning, and the results are compared.
@Suite struct StepLimitsTests {
  /// A flow with limits, a query, and the events of one group.
  private struct Case {
    var flow: FlowDefinition
    var query = ReportQuery(now: Timestamp(milliseconds: 1_000_000))
    var events: [TimedEvent] = []

    init(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      let stepCount = Int.random(in: 2...5, using: &random)
      flow = FlowDefinition(
        app: "a", flow: "f", version: 1, title: "", window: TimeSpan(milliseconds: Int64.random(in: 0...40, using: &random)),
        countBy: .subject,
        steps: (0..<stepCount).map {
          FlowStep(id: "s\($0)", label: "", kind: .screen, isOptional: $0 > 1 && Int.random(in: 0..<4, using: &random) == 0)
        })
      let required = flow.requiredSteps
      for step in required.dropFirst() {
        if Bool.random(using: &random) { flow.steps[step].minGap = TimeSpan(milliseconds: .random(in: 0...6, using: &random)) }
        if Bool.random(using: &random) { flow.steps[step].window = TimeSpan(milliseconds: .random(in: 0...12, using: &random)) }
      }
      for number in 0..<Int.random(in: 0...3, using: &random) {
        let after = Int.random(in: 0..<required.count - 1, using: &random)
        let before = Int.random(in: after + 1..<required.count, using: &random)
        flow.exclusions.append(
          FlowExclusion(
            event: "x\(number)", after: Bool.random(using: &random) ? flow.steps[required[after]].id : nil,
            before: Bool.random(using: &random) ? flow.steps[required[before]].id : nil))
      }
      flow.exclusions = flow.exclusions.filter { flow.requiredPlaces(of: $0) != nil }
      query.order = StepOrder.allCases.randomElement(using: &random) ?? .ordered
      query.anchor = Bool.random(using: &random) ? .first : .best
      if Bool.random(using: &random) { query.since = Timestamp(milliseconds: .random(in: 0...20, using: &random)) }
      if Bool.random(using: &random) { query.until = Timestamp(milliseconds: .random(in: 10...50, using: &random)) }
      var time: Int64 = 0
      for _ in 0..<Int.random(in: 0...16, using: &random) {
        time += Int64.random(in: 0...5, using: &random)
        var kind = EventClass.other
        for step in 0..<stepCount where Int.random(in: 0..<stepCount, using: &random) == 0 {
          kind.stepMask |= 1 << UInt64(step)
        }
        for number in flow.exclusions.indices where Int.random(in: 0..<8, using: &random) == 0 {
          kind.exclusions |= 1 << UInt8(number)
        }
        events.append(TimedEvent(milliseconds: time, kind: kind))
      }
    }
  }

  /// What is compared of a chain.
  private struct Result: Equatable {
    var matches: [Int] = []
    var exclusion: Int?
  }

  @Test(arguments: Sweeps.seeds(40, sample: 10))
  func `the chain is that of a search of every anchor`(block: UInt64) {
    var matchedStepCounts: [Int] = Array(repeating: 0, count: 6)
    var excluded = 0
    for seed in block * 1000..<(block + 1) * 1000 {
      let example = Case(seed: seed)
      let expected = naive(example)
      let found = matched(example)
      #expect(found == expected, "seed \(seed)")
      matchedStepCounts[expected.matches.count] += 1
      if expected.exclusion != nil { excluded += 1 }
    }
    // The cases are not all alike.
    #expect(matchedStepCounts[0...3].allSatisfy { $0 > 10 } && excluded > 30, "\(matchedStepCounts), \(excluded) excluded")
  }

  private func matched(_ example: Case) -> Result {
    let query = FlowQuery(flow: example.flow, query: example.query)
    var match = ChainMatch()
    guard query.matcher.match(GroupEvents(example.events.span, entries: Span(), query: query), into: &match) else {
      return Result()
    }
    return Result(matches: (0..<match.matchedStepCount).map { match[$0] }, exclusion: match.exclusion)
  }

  private func naive(_ example: Case) -> Result {
    let (flow, events) = (example.flow, example.events)
    let required = flow.requiredSteps
    func enters(_ event: Int, _ place: Int) -> Bool { events[event].kind.stepMask >> UInt64(required[place]) & 1 == 1 }
    func entersAny(_ event: Int) -> Bool { required.indices.contains { enters(event, $0) } }
    func isAnchor(_ event: Int) -> Bool {
      isInPeriod(event) && (example.query.order == .any ? entersAny(event) : enters(event, 0))
    }
    func isInPeriod(_ event: Int) -> Bool {
      let time = events[event].milliseconds
      if example.query.anchor == .first { return true }
      if let since = example.query.since, time < since.milliseconds { return false }
      if let until = example.query.until, time >= until.milliseconds { return false }
      return true
    }
    let chains = events.indices.filter(isAnchor).map { anchor in
      let deadline = events[anchor].milliseconds + flow.window.milliseconds
      let inside = events.indices.filter { $0 >= anchor && events[$0].milliseconds <= deadline }
      // The event that matched each step, by place.
      var matches: [Int: Int] = [:]
      if example.query.order == .any {
        for place in required.indices { matches[place] = inside.first { enters($0, place) } }
      } else {
        matches[0] = anchor
        for place in required.indices.dropFirst() {
          guard let previous = matches[place - 1] else { break }
          let step = flow.steps[required[place]]
          func isInTime(_ event: Int) -> Bool {
            let gap = events[event].milliseconds - events[previous].milliseconds
            return gap >= step.minGap?.milliseconds ?? 0 && gap <= step.window?.milliseconds ?? .max
          }
          let later = inside.filter { $0 > previous }
          if example.query.order == .strict {
            matches[place] = later.first(where: entersAny).flatMap { enters($0, place) && isInTime($0) ? $0 : nil }
          } else {
            matches[place] = later.first { enters($0, place) && isInTime($0) }
          }
        }
      }
      let exclusion = flow.exclusions.indices.compactMap { number -> Int? in
        guard let places = flow.requiredPlaces(of: flow.exclusions[number]), let after = matches[places.after] else {
          return nil
        }
        let before = matches[places.before] ?? events.count
        return inside.first { $0 > after && $0 < before && events[$0].kind.exclusions >> UInt8(number) & 1 == 1 }
      }.min()
      return Result(matches: matches.values.sorted().filter { $0 < exclusion ?? .max }, exclusion: exclusion)
    }
    if example.query.anchor == .first { return chains.first ?? Result() }
    let highest = chains.map(\.matches.count).max()
    return chains.first { $0.matches.count == highest } ?? Result()
  }

  @Test func `a chain goes on after an event that came too soon, and ends where the step's window does`() {
    var sketch = Sketch("a b")
    sketch.flow.steps[1].minGap = TimeSpan(milliseconds: 5)
    sketch.flow.steps[1].window = TimeSpan(milliseconds: 10)
    let row = sketch.groups("0 a, 4 b, 5 b", "0 a, 10 b", "0 a, 4 b, 11 b", "0 a, 4 b").funnel
    #expect((row.completed, row.dropped) == (2, 2))
  }
}
