import FunnelSequences
import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelTestSupport
import Testing

@Suite struct ReportFoldTests {
  private func report(
    _ scenario: FoldScenario, selection: ReportSelection = .standard, flows: Set<Int>? = nil, partitions: Int = 1,
    threads: Int = 1
  ) throws -> FlowReport {
    let source = StoredHistories(scenario.sequences, segments: scenario.segments, partitionCount: partitions)
    return try FlowReport(
      Report(
        of: source, catalog: scenario.catalog, flows: flows ?? Set(scenario.catalog.definitions.indices),
        query: scenario.query, selection: selection, threads: threads))
  }

  /// Returns the report about histories of one flow.
  private func report(_ sketch: Sketch, _ sequences: [[StoredHistories.Event]]) throws -> FlowReport {
    let catalog = try FlowCatalog(layers: [[FlowFile(definition: sketch.flow, name: "flow.json")]])
    return try FlowReport(
      Report(
        of: StoredHistories(sequences), catalog: catalog, flows: [0], query: sketch.query, selection: .standard, threads: 1))
  }

  @Test(arguments: Sweeps.seeds(12, sample: 5)) func theFoldAgreesWithTheBruteForce(block: UInt64) throws {
    for seed in block * 50..<(block + 1) * 50 {
      let scenario = try FoldScenario(seed: seed)
      let definitions = scenario.catalog.definitions
      let countsByAttempt = definitions.map { (scenario.query.countBy ?? $0.countBy) == .attempt }
      var expected = FlowReport(funnel: [], grants: [], dropoff: [])
      for (index, flow) in definitions.enumerated() {
        var groups = try scenario.groups(ofFlow: index, countsByAttempt: countsByAttempt)
        if (scenario.query.countBy ?? flow.countBy) == .entry {
          let force = BruteForce(flow: flow, query: scenario.query, groups: [])
          groups = groups.flatMap(force.entries)
        }
        let force = BruteForce(flow: flow, query: scenario.query, groups: groups)
        expected.funnel? += force.funnel()
        expected.grants? += force.grants()
        expected.dropoff? += force.dropoff()
      }
      let report = try report(scenario)
      #expect(areSame(report.funnel ?? [], expected.funnel ?? []), "seed \(seed)")
      #expect(areSame(report.grants ?? [], expected.grants ?? []), "seed \(seed)")
      #expect(areSame(report.dropoff ?? [], expected.dropoff ?? []), "seed \(seed)")
    }
  }

  @Test func neitherThreadsNorPartitionsChangeTheReport() throws {
    for seed in 0..<60 as Range<UInt64> {
      let scenario = try FoldScenario(seed: seed)
      let plain = try report(scenario)
      for (partitions, threads) in [(1, 3), (5, 1), (5, 2), (7, 4), (200, 3)] {
        let other = try report(scenario, partitions: partitions, threads: threads)
        #expect(other == plain, "seed \(seed), \(partitions) partitions, \(threads) threads")
      }
    }
  }

  @Test func aReportAboutSomeFlowsHasTheirRowsOfTheWhole() throws {
    for seed in 0..<60 as Range<UInt64> {
      let scenario = try FoldScenario(seed: seed)
      let whole = try report(scenario)
      for flows in [[0], [2], [0, 1], []] as [Set<Int>] {
        let names = flows.map { scenario.catalog.definitions[$0].flow }
        let part = try report(scenario, flows: flows)
        #expect(part.funnel == whole.funnel?.filter { names.contains($0.key.flow) }, "seed \(seed)")
        #expect(part.grants == whole.grants?.filter { names.contains($0.key.flow) }, "seed \(seed)")
        #expect(part.dropoff == whole.dropoff?.filter { names.contains($0.key.flow) }, "seed \(seed)")
      }
      #expect(try report(scenario, selection: ReportSelection(GrantsReport.self)).grants == whole.grants, "seed \(seed)")
      #expect(try report(scenario, selection: ReportSelection(FunnelReport.self)).dropoff == nil, "seed \(seed)")
    }
  }

  /// Returns event kinds that form 20 different sequences of one event, and 8,000 of three.
  private func manyKinds(of flow: FlowDefinition) -> [EventClass] {
    (0..<20).map { number in
      EventClass(
        stepMask: number < 4 ? 1 << UInt64(number) : 0, permission: number, action: .other,
        exit: ExitKind.allCases[number % 5])
    }
  }

  @Test func moreSequencesThanAreRememberedAreCountedAllTheSame() throws {
    let sketch = Sketch("a b c d", window: 1000, now: 5000)
    let kinds = manyKinds(of: sketch.flow)
    // There are 32,000 different sequences of an anchor and four more events, each of them twice.
    var stored: [StoredSequence] = []
    for number in 0..<64_000 {
      var rest = number % 32_000
      var events = [TimedEvent(milliseconds: 0, kind: kinds[0])]
      for place in 1...4 {
        events.append(TimedEvent(milliseconds: Int64(place * (1 + number % 7)), kind: kinds[rest % (place < 4 ? 20 : 4)]))
        rest /= 20
      }
      stored.append(StoredSequence(events: events))
    }
    let sequences = stored.map { sequence in
      sequence.events.map {
        StoredHistories.Event(milliseconds: $0.milliseconds, kind: EventClassTable.Entry(flow: 0, kind: $0.kind))
      }
    }
    #expect(try report(sketch, sequences) == FlowReport(of: stored, flow: sketch.flow, query: sketch.query))
  }

  /// The time would be quadratic if each event were compared with all earlier attempts.
  @Test func aSubjectWithVeryManyAttemptsTakesLinearTime() throws {
    let sketch = Sketch("a b", window: 10, now: 1_000_000) { $0.countBy = .attempt }
    let steps = ([1, 2] as [UInt64]).map { EventClass(stepMask: $0) }
    let growth = try ComputingTime.growth(from: 5_000) { count in
      var sequence: [StoredHistories.Event] = []
      for attempt in 0..<count {
        for step in steps {
          sequence.append(
            StoredHistories.Event(
              milliseconds: Int64(attempt), kind: EventClassTable.Entry(flow: 0, kind: step), attempt: UInt64(attempt + 1)))
        }
      }
      let report = try report(sketch, [sequence])
      #expect(report.funnel?[0].entered == count)
      #expect(report.funnel?[0].completed == count)
    }
    #expect(growth < 24)
  }

  /// The time would be quadratic if each entry were looked for from the beginning, or matched to the end.
  @Test(arguments: StepOrder.allCases) func `a subject with very many entries takes linear time`(order: StepOrder) throws {
    let sketch = Sketch("a b", window: 1_000_000, now: 1_000_000) {
      $0.countBy = .entry
      $0.order = order
    }
    let steps = ([1, 2] as [UInt64]).map { EventClass(stepMask: $0) }
    let growth = try ComputingTime.growth(from: 5_000) { count in
      let sequence = (0..<count * 2).map {
        StoredHistories.Event(milliseconds: Int64($0), kind: EventClassTable.Entry(flow: 0, kind: steps[$0 % 2]))
      }
      let report = try report(sketch, [sequence])
      #expect(report.funnel?[0].entered == count)
      #expect(report.funnel?[0].completed == count)
    }
    #expect(growth < 24)
  }

  @Test func thereMayBeNothingToFold() throws {
    #expect(try report(Sketch("a b"), []) == FlowReport(funnel: [], grants: [], dropoff: []))
  }
}
