import FunnelProjections
import FunnelSequences
import FunnelIndex
package import FunnelModel

extension SeededGenerator {
  /// Returns true for this percentage of calls.
  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}

/// A random flow, query and groups, all small, so that ties, edge cases and repetitions are frequent.
package struct Scenario: Sendable {
  package let seed: UInt64
  package let flow: FlowDefinition
  package let query: ReportQuery
  package let sequences: [StoredSequence]

  /// Creates the scenario of a seed.
  package init(seed: UInt64, journeyCount: Int = 24) {
    self.seed = seed
    var random = SeededGenerator(seed: seed)
    // The unit of time is a millisecond, or a quarter of a day so that segments by day differ.
    let unit: Int64 = random.chance(70) ? 1 : 21_600_000
    flow = Scenario.flow(unit: unit, using: &random)
    query = Scenario.query(unit: unit, using: &random)
    let kinds = Scenario.eventKinds(of: flow, using: &random)
    var segments = SegmentTable(dimensions: query.storedDimensions)
    let stepCount = flow.steps.count
    let groups = (0..<journeyCount).map { _ in
      Scenario.events(kinds, unit: unit, stepCount: stepCount, segments: &segments, using: &random)
    }
    let now = query.now.milliseconds
    let entries = Scenario.completions(of: flow)
    sequences = groups.map { events in
      StoredSequence(events: events.filter { $0.milliseconds <= now }, segments: segments, entries: entries)
    }
  }
}

extension Scenario {
  private static func events(
    _ kinds: [EventClass], unit: Int64, stepCount: Int, segments: inout SegmentTable, using random: inout SeededGenerator
  ) -> [TimedEvent] {
    let values: [PropertyValue] = [
      .string("A"), .string("B"), .integer(3), .string("3"), .string("3.0"), .double(0.5), .string("0.5"), .bool(true),
      .string("true"), .null,
    ]
    let span = random.number(1...40)
    var events: [TimedEvent] = []
    for _ in 0..<random.number(0...18) {
      let row = segments.append(segments.dimensions.map { _ in values[random.number(0...values.count - 1)] })
      let time = Int64(random.number(0...span)) * unit
      if random.chance(10) {
        let step = UInt32(random.number(0...stepCount - 1))
        events.append(TimedEvent(milliseconds: time, kind: .other, row: row, classID: step))
      } else {
        events.append(TimedEvent(milliseconds: time, kind: kinds[random.number(0...kinds.count - 1)], row: row))
      }
    }
    return events.sorted {
      ($0.milliseconds, $0.kind.tieRank(stepCount: stepCount)) < ($1.milliseconds, $1.kind.tieRank(stepCount: stepCount))
    }
  }
}

extension Scenario {
  /// Returns the meaning of the completion of each step.
  private static func completions(of flow: FlowDefinition) -> [EventClassTable.Entry] {
    flow.steps.map { step in
      EventClassTable.Entry(
        flow: 0, kind: .other,
        detail: EventDetail(name: StepEventName.completed.rawValue, step: step.id, flow: flow))
    }
  }

  private static func flow(unit: Int64, using random: inout SeededGenerator) -> FlowDefinition {
    let names = ["photos", "contacts", "push"]
    var steps = (0..<random.number(1...6)).map { index in
      let kind: FlowStep.Kind =
        switch random.number(0...2) {
        case 0: .screen
        case 1: .permission(names[random.number(0...2)])
        default: .event([EventPattern(event: "event_\(index)")])
        }
      let asks = random.chance(30) ? Array(names.shuffled(using: &random).prefix(random.number(1...3))) : []
      var step = FlowStep(id: "s\(index)", label: "Step \(index)", kind: kind, isOptional: random.chance(30), asks: asks)
      step.permissionsPrimedOnEntry = Set(asks.filter { _ in random.chance(25) })
      return step
    }
    if steps.allSatisfy(\.isOptional) { steps[random.number(0...steps.count - 1)].isOptional = false }
    return FlowDefinition(
      app: "app", flow: "flow", version: 1, title: "Flow", window: TimeSpan(milliseconds: Int64(random.number(0...30)) * unit),
      countBy: .subject, steps: steps,
      outcomes: random.chance(40)
        ? [.init(name: "good", label: "Good", isSuccess: true), outcome("bad", ends: !random.chance(30))] : [])
  }

  private static func outcome(_ name: String, ends: Bool) -> FlowDefinition.Outcome {
    var outcome = FlowDefinition.Outcome(name: name, label: name, isSuccess: false)
    outcome.isEnd = ends
    return outcome
  }

  private static func query(unit: Int64, using random: inout SeededGenerator) -> ReportQuery {
    var query = ReportQuery(now: Timestamp(milliseconds: Int64(random.number(5...50)) * unit))
    query.order = StepOrder.allCases[random.number(0...2)]
    query.anchor = random.chance(25) ? .best : .first
    if random.chance(30) { query.since = Timestamp(milliseconds: Int64(random.number(0...20)) * unit) }
    if random.chance(30) { query.until = Timestamp(milliseconds: Int64(random.number(5...40)) * unit) }
    if random.chance(30) { query.window = TimeSpan(milliseconds: Int64(random.number(0...12)) * unit) }
    query.isMature = random.chance(20)
    let dimensions: [Dimension] = [
      .context("variant"), .property("trigger"), .context("os_version"), .day, .hour, .weekday, .version,
      .step(id: "s0", .property("trigger")),
      .step(id: "s1", .context("variant")), .step(id: "none", .context("variant")),
    ]
    if random.chance(40) { query.by = Array(dimensions.shuffled(using: &random).prefix(random.number(1...2))) }
    let conditions = [
      "ctx.variant=A", "ctx.variant!=B", "props.trigger=3", "step.s1.ctx.variant=A", "step.s2.props.trigger!=3",
      "props.trigger<=3", "hour>=12", "ctx.os_version=3.0",
    ]
    if random.chance(25) {
      query.conditions = [conditions[random.number(0...conditions.count - 1)]].compactMap { SegmentCondition($0) }
    }
    if random.chance(30) { query.attribution = .known }
    query.dropsMixed = random.chance(15)
    return query
  }

  private static func eventKinds(of flow: FlowDefinition, using random: inout SeededGenerator) -> [EventClass] {
    let permissions = flow.permissions
    var kinds: [EventClass] = [ExitKind.skipped, .denied, .failed, .back, .left].map {
      EventClass(stepMask: 0, exit: $0)
    }
    for outcome in flow.outcomes.indices {
      kinds.append(EventClass(stepMask: 0, exit: .ended, outcome: outcome))
      // An outcome may also enter a step, as `purchase_completed` does.
      kinds.append(
        EventClass(
          stepMask: 1 << UInt64(random.number(0...flow.steps.count - 1)), exit: .ended,
          outcome: outcome))
    }
    for (index, step) in flow.steps.enumerated() {
      if case .permission = step.kind { continue }
      var mask: UInt64 = 1 << UInt64(index)
      // An event may enter several steps.
      if random.chance(30) { mask |= 1 << UInt64(random.number(0...flow.steps.count - 1)) }
      kinds.append(EventClass(stepMask: mask))
    }
    for (index, permission) in permissions.enumerated() {
      var mask: UInt64 = 0
      for (place, step) in flow.steps.enumerated() where step.kind == .permission(permission.name) {
        mask |= 1 << UInt64(place)
      }
      let number = index
      let prompt = EventClass(stepMask: mask, permission: number, action: .prePrompt, exit: .left)
      kinds += [prompt, prompt]
      kinds.append(EventClass(stepMask: 0, permission: number, action: .granted, exit: .left))
      kinds.append(EventClass(stepMask: 0, permission: number, action: .limited, exit: .left))
      kinds.append(EventClass(stepMask: 0, permission: number, action: .provisional, exit: .left, nameRank: 2))
      kinds.append(EventClass(stepMask: 0, permission: number, action: .denied, exit: .denied, nameRank: 2))
      kinds.append(EventClass(stepMask: 0, permission: number, action: .skipped, exit: .skipped))
      kinds.append(EventClass(stepMask: 0, permission: number, action: .enableTapped, exit: .left))
    }
    return kinds
  }
}
