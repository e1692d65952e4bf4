import FunnelIngest
public import FunnelModel
import FunnelStorage

/// All events of a report in memory, partitioned by subject: the source of journeys.
///
/// Partitions share no subject, so each can be deduplicated, sorted and folded by itself, on any core and in any order.
public struct JourneyTable: Sendable {
  /// Into how many partitions subjects are hashed, whatever the number of threads.
  public static let partitionCount = 64

  private let catalog: FlowCatalog
  private let query: ReportQuery
  /// Indices of the flow versions the report is about.
  private let flows: Set<Int>
  private(set) var partitions: [[JourneyRow]]
  private var texts: [[UInt8]] = []
  private var segments: SegmentTable
  /// Whether rows come in that no journey wants: an event of no flow may still be the one that stays of several duplicates.
  private let keepsUnwanted: Bool

  /// An empty table.
  ///
  /// - Parameters:
  ///   - flows: Indices in the catalog of the flow versions the report is about.
  ///   - keepsUnwanted: Whether the events may hold duplicates, which ``removeDuplicates(threads:records:)`` then has to remove.
  init(catalog: FlowCatalog, query: ReportQuery, flows: Set<Int>, keepsUnwanted: Bool) {
    self.catalog = catalog
    self.query = query
    self.flows = flows
    self.keepsUnwanted = keepsUnwanted
    segments = SegmentTable(dimensions: query.by + query.conditions.map(\.dimension))
    partitions = Array(repeating: [], count: Self.partitionCount)
  }

  /// The stored dimensions events have to bring.
  var dimensions: [Dimension] { segments.dimensions }

  /// Takes in the events of a block.
  mutating func append(_ block: consuming DecodedBlock<JourneyRowSink>) {
    let number = UInt32(texts.count)
    let segmentOfLocal = (0..<UInt32(block.sink.segments.count)).map { segments.append(block.sink.segments.row($0)) }
    for (index, event) in block.events.enumerated() {
      var row = block.sink.rows[index]
      row.block = number
      row.identity = event.identity
      row.lineHash = event.lineHash
      if !segmentOfLocal.isEmpty { row.segment = segmentOfLocal[Int(row.segment)] }
      guard keepsUnwanted || isWanted(row) else { continue }
      partitions[Int(row.subject.high >> 58)].append(row)
    }
    texts.append(block.sink.texts)
  }

  /// Puts other rows in the place of those of a partition.
  mutating func replaceRows(ofPartition number: Int, with rows: [JourneyRow]) {
    partitions[number] = rows
  }

  /// Hands out the journeys of one partition, each once, with the index of its flow version.
  public func forEachJourney(inPartition number: Int, _ body: (_ flow: Int, _ journey: Journey) -> Void) {
    var rows = keepsUnwanted ? partitions[number].filter(isWanted) : partitions[number]
    rows.sort { precedes($0, $1) }
    var events: [JourneyEvent] = []
    var start = 0
    while start < rows.count {
      let first = rows[start]
      events.removeAll(keepingCapacity: true)
      var end = start
      while end < rows.count, isSameGroup(rows[end], first) {
        events.append(JourneyEvent(milliseconds: rows[end].milliseconds, kind: rows[end].kind, row: rows[end].segment))
        end += 1
      }
      events.withUnsafeBufferPointer { body(Int(first.flow), Journey(events: $0, segments: segments)) }
      start = end
    }
  }

  private func isWanted(_ row: JourneyRow) -> Bool {
    row.flow >= 0 && row.milliseconds <= query.now.milliseconds && flows.contains(Int(row.flow))
  }

  private func countsByAttempt(_ flow: Int32) -> Bool {
    (query.countBy ?? catalog.definitions[Int(flow)].countBy) == .attempt
  }

  private func isSameGroup(_ a: JourneyRow, _ b: JourneyRow) -> Bool {
    a.flow == b.flow && a.subject == b.subject && (!countsByAttempt(a.flow) || a.attempt == b.attempt)
  }

  /// Groups one after the other, each group's events in the order of contract section 3.
  private func precedes(_ a: JourneyRow, _ b: JourneyRow) -> Bool {
    if a.flow != b.flow { return a.flow < b.flow }
    if a.subject != b.subject { return a.subject < b.subject }
    if a.attempt != b.attempt, countsByAttempt(a.flow) { return a.attempt < b.attempt }
    if a.milliseconds != b.milliseconds { return a.milliseconds < b.milliseconds }
    if a.sequence != b.sequence { return a.sequence < b.sequence }
    let stepCount = catalog.definitions[Int(a.flow)].steps.count
    let (rankA, rankB) = (a.kind.tieRank(stepCount: stepCount), b.kind.tieRank(stepCount: stepCount))
    if rankA != rankB { return rankA < rankB }
    return tieTextPrecedes(a, b)
  }

  /// By id; where even that is the same, by name, so that the order is whole.
  private func tieTextPrecedes(_ a: JourneyRow, _ b: JourneyRow) -> Bool {
    texts[Int(a.block)].withUnsafeBytes { textsA in
      texts[Int(b.block)].withUnsafeBytes { textsB in
        let idA = UnsafeRawBufferPointer(rebasing: textsA[Int(a.text)..<Int(a.text) + Int(a.idByteCount)])
        let idB = UnsafeRawBufferPointer(rebasing: textsB[Int(b.text)..<Int(b.text) + Int(b.idByteCount)])
        if idA.precedes(idB) { return true }
        if idB.precedes(idA) { return false }
        let nameA = UnsafeRawBufferPointer(
          rebasing: textsA[Int(a.text) + idA.count..<Int(a.text) + idA.count + Int(a.nameByteCount)])
        let nameB = UnsafeRawBufferPointer(
          rebasing: textsB[Int(b.text) + idB.count..<Int(b.text) + idB.count + Int(b.nameByteCount)])
        return nameA.precedes(nameB)
      }
    }
  }
}

extension JourneyTable {
  /// Folds all journeys, the partitions side by side; the states come in the order of the partitions, whatever the number of threads.
  public func fold<State: Sendable>(
    threads: Int, makeState: @Sendable () -> State,
    _ body: @Sendable (_ state: inout State, _ flow: Int, _ journey: Journey) -> Void
  ) throws(FunnelError) -> [State] {
    try Parallel.map(count: Self.partitionCount, threads: threads) { (partition) throws(FunnelError) in
      var state = makeState()
      forEachJourney(inPartition: partition) { flow, journey in body(&state, flow, journey) }
      return state
    }
  }
}
