import FunnelIngest
public import FunnelModel

/// All events of a report in memory, partitioned by subject: a source of histories.
///
/// Partitions share no subject, so each can be deduplicated, sorted and folded by itself, on any core and in any order.
public struct JourneyTable: HistorySource {
  /// Into how many partitions subjects are hashed, whatever the number of threads.
  public static let partitionCount = 64

  private let catalog: FlowCatalog
  private let query: ReportQuery
  /// Indices of the flow versions the report is about.
  private let flows: Set<Int>
  private(set) var partitions: [[JourneyRow]]
  private var texts: [[UInt8]] = []
  public private(set) var segments: SegmentTable
  private var kindTable = KindTable()
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
      if row.flow >= 0 { row.code = kindTable.code(of: KindTable.Entry(flow: row.flow, kind: row.kind)) }
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

  /// What the codes of the histories mean.
  public var kinds: [KindTable.Entry] { kindTable.entries }

  public var partitionCount: Int { Self.partitionCount }

  /// Hands out the histories of one partition, each once.
  public func forEachHistory(
    inPartition number: Int, _ body: (SubjectHistory) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    var rows = partitions[number].filter(isWanted)
    rows.sort { precedes($0, $1) }
    let kinds = rows.map(\.code)
    let times = rows.map(\.milliseconds)
    let attempts = rows.map(\.attempt)
    let segmentRows = rows.map(\.segment)
    var start = 0
    while start < rows.count {
      var end = start + 1
      while end < rows.count, rows[end].subject == rows[start].subject { end += 1 }
      let range = start..<end
      try kinds.withUnsafeBufferPointer { (kinds) throws(FunnelError) in
        try times.withUnsafeBufferPointer { (times) throws(FunnelError) in
          try attempts.withUnsafeBufferPointer { (attempts) throws(FunnelError) in
            try segmentRows.withUnsafeBufferPointer { (segmentRows) throws(FunnelError) in
              try body(
                SubjectHistory(
                  count: range.count, kinds: kinds.baseAddress! + start, times: times.baseAddress! + start,
                  attempts: attempts.baseAddress! + start, rows: segmentRows.baseAddress! + start))
            }
          }
        }
      }
      start = end
    }
  }

  private func isWanted(_ row: JourneyRow) -> Bool {
    row.flow >= 0 && row.milliseconds <= query.now.milliseconds && flows.contains(Int(row.flow))
  }

  /// Subjects one after the other, each one's events in the order of contract section 3.
  private func precedes(_ a: JourneyRow, _ b: JourneyRow) -> Bool {
    if a.subject != b.subject { return a.subject < b.subject }
    if a.milliseconds != b.milliseconds { return a.milliseconds < b.milliseconds }
    if a.sequence != b.sequence { return a.sequence < b.sequence }
    let (rankA, rankB) = (rank(of: a), rank(of: b))
    if rankA != rankB { return rankA < rankB }
    return tieTextPrecedes(a, b)
  }

  private func rank(of row: JourneyRow) -> Int {
    row.kind.tieRank(stepCount: catalog.definitions[Int(row.flow)].steps.count)
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
