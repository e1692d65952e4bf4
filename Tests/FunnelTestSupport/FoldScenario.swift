import FunnelProjections
internal import FunnelSequences
package import FunnelIndex
package import FunnelModel

/// Random subjects in several flows.
///
/// The sequences of events come from a small set, so that most of them recur with other times, many of them with a pause of about the
/// conversion window at some place. Some subjects go through several flows, or through one flow more than once.
package struct FoldScenario: Sendable {
  package let query: ReportQuery
  package let catalog: FlowCatalog
  package let sequences: [[StoredHistories.Event]]
  package let segments: SegmentTable

  /// Creates the scenario of a seed.
  package init(seed: UInt64, subjectCount: Int = 60) throws {
    var random = SeededGenerator(seed: seed ^ 0xF01D)
    let scenarios = (0..<3 as Range<UInt64>).map { Scenario(seed: seed * 3 + $0) }
    var query = scenarios[0].query
    if random.chance(40) {
      query.countBy = random.chance(50) ? .attempt : random.chance(50) ? .entry : .subject
    }
    // A long window or a late `now` leaves whole groups unaffected by time limits.
    if random.chance(50) { query.window = TimeSpan(milliseconds: 40 * (random.chance(50) ? 1 : 21_600_000)) }
    if random.chance(40) { query.now = Timestamp(milliseconds: 10_000 * 21_600_000) }
    self.query = query
    catalog = try FlowCatalog(layers: [scenarios.enumerated().map { Self.file(of: $1.flow, number: $0, using: &random) }])
    var segments = SegmentTable(dimensions: query.storedDimensions)
    let values: [PropertyValue] = [.string("A"), .string("B"), .integer(3), .bool(true), .null]
    let rows = (0..<6).map { _ in
      segments.append(segments.dimensions.map { _ in values[random.number(0...values.count - 1)] })
    }
    self.segments = segments
    let stock = scenarios.map { $0.sequences.prefix(4).filter { !$0.events.isEmpty } }
    let unit: Int64 = random.chance(70) ? 1 : 21_600_000
    let windows = scenarios.map { query.windowMilliseconds(for: $0.flow) }
    sequences = (0..<subjectCount).compactMap { _ in
      Self.sequence(stock, unit: unit, windows: windows, rows: rows, now: query.now.milliseconds, using: &random)
    }
  }

  /// Returns the groups of a flow, each with the events of one subject or of one attempt.
  package func groups(ofFlow flow: Int, countsByAttempt: [Bool]) throws -> [StoredSequence] {
    var groups: [StoredSequence] = []
    let source = StoredHistories(sequences, segments: segments)
    // The source knows the flowMatches of all codes only after a first pass.
    try source.forEachSequence(inPartition: 0) { _ in }
    try JourneyCutter.forEachJourney(of: source, inPartition: 0, countsByAttempt: countsByAttempt) { number, sequence in
      if number == flow { groups.append(sequence) }
    }
    return groups
  }

  private static func file(of flow: FlowDefinition, number: Int, using random: inout SeededGenerator) -> FlowFile {
    var definition = flow
    definition.flow = "flow_\(number)"
    definition.countBy = random.chance(30) ? .attempt : random.chance(30) ? .entry : .subject
    return FlowFile(definition: definition, name: "flow_\(number).json")
  }

  private static func sequence(
    _ stock: [[StoredSequence]], unit: Int64, windows: [Int64], rows: [UInt32], now: Int64,
    using random: inout SeededGenerator
  ) -> [StoredHistories.Event]? {
    var events: [StoredHistories.Event] = []
    for flow in stock.indices where random.chance(45) {
      guard let model = stock[flow].randomElement(using: &random) else { continue }
      let span = random.chance(50) ? 40 : 3
      var times = model.events.map { _ in Int64(random.number(0...span)) * unit }.sorted()
      if random.chance(50) {
        let pause = windows[flow] + Int64(random.number(-1...1))
        for event in 0..<random.number(0...times.count - 1) { times[event] -= max(0, pause) }
      }
      let row = rows[random.number(0...rows.count - 1)]
      let isConstant = random.chance(60)
      let attemptCount = random.chance(60) ? 1 : 3
      for (event, time) in zip(model.events, times) {
        let detail = model.detail(of: event)
        events.append(
          StoredHistories.Event(
            milliseconds: time, kind: EventClassTable.Entry(flow: Int32(flow), kind: event.kind, detail: detail),
            attempt: UInt64(random.number(1...attemptCount)),
            row: isConstant ? row : rows[random.number(0...rows.count - 1)]))
      }
    }
    // Events of one moment keep their order within each flow.
    let sorted = events.enumerated().sorted { ($0.element.milliseconds, $0.offset) < ($1.element.milliseconds, $1.offset) }
    let sequence = sorted.map(\.element).filter { $0.milliseconds <= now }
    return sequence.isEmpty ? nil : sequence
  }
}
