import FunnelDecoding
import FunnelIngest
import FunnelIndex
import FunnelStore
import FunnelModel
import FunnelSchemas
import FunnelSystem
import FunnelTestSupport

/// A store in a temporary folder with an index beside its log.
final class IndexedStore {
  let folder: TemporaryFolder
  let catalog: FlowCatalog
  private var ingests = 0

  init(catalog: FlowCatalog, folder: TemporaryFolder? = nil) throws {
    self.folder = try folder ?? TemporaryFolder()
    self.catalog = catalog
  }

  /// Ingests lines as one commit.
  @discardableResult func ingest(
    _ lines: [String], decoding: DecodingOptions = IndexedStore.decoding
  ) throws -> IngestSummary {
    ingests += 1
    try folder.write(Array(lines.joined(separator: "\n").utf8), to: "\(ingests).ndjson")
    let options = Ingestor.Options(decoding: decoding, threads: 1)
    return try Ingestor(into: lock(), catalog: catalog, options: options)
      .ingest(try InputFile.files(at: [folder.path("\(ingests).ndjson")]))
  }

  static let decoding = DecodingOptions(now: Journeys.now, privacy: BuiltInSchemas.privacy)

  func lock() throws -> StoreWriter {
    try StoreWriter.open(folder.path("store"), lockTimeout: lockPatience)
  }

  /// Opens the store for reading.
  func reader() throws -> StoreReader { try StoreReader.open(folder.path("store")) }

  func indexWriter(threads: Int = 2, fileSystem: any FileSystem = LocalFileSystem()) throws -> EventIndexWriter {
    EventIndexWriter(store: try reader(), fileSystem: fileSystem, threads: threads)
  }

  /// Brings the index up to date.
  func refresh(threads: Int = 2) throws { try indexWriter(threads: threads).catchUp(with: try reader()) }

  /// Returns the names of the index's files.
  func indexFiles() throws -> [String] { try folder.files().filter { $0.hasPrefix("store/index/") } }

  /// Records lines as an ingest does, reading them as two files.
  func record(_ lines: [String], threads: Int = 2) throws -> Recorded {
    let input = try TemporaryFolder()
    for (number, piece) in [lines[..<(lines.count / 2)], lines[(lines.count / 2)...]].enumerated() {
      try input.write(Array(piece.joined(separator: "\n").utf8), to: "\(number).ndjson")
    }
    let pool = IndexRecorderPool()
    var recorded = Recorded()
    try InputReader.forEachDecodedBlock(
      of: try InputFile.files(at: [input.path]), catalog: catalog, options: Self.decoding, threads: threads,
      wanting: pool.wants(records: true, identities: true)
    ) { decoded, _ in
      var decoded = decoded
      guard let block = pool.take(&decoded) else { return }
      recorded.blocks.append(block)
      recorded.events.append(decoded)
      recorded.identities += decoded.events.map(\.identity)
    }
    recorded.dictionaries = pool.dictionaries
    return recorded
  }

  /// The data of a batch that an ingest has.
  struct Recorded {
    var blocks: [RecordedBlock] = []
    var dictionaries: [IndexDictionaries] = []
    var events = EventBatch()
    /// The identity of each event, computed without the index.
    var identities: [Hash128] = []

    /// Returns the run of the events that an index does not hold.
    func prepared(notIn index: EventIndex, threads: Int = 2) throws(FunnelError) -> PreparedRun {
      try PreparedRun(try IndexBatch(blocks, dictionaries: dictionaries, threads: threads), of: events, notIn: index)
    }
  }
}

/// The histories of a source as sorted texts, each sorted by flow, because the order of simultaneous events of different flows
/// has no meaning.
enum HistoryTexts {
  /// Returns the histories of subjects that may count: those with an event at or after `since`, and one before `until`.
  static func all(
    of source: some SequenceSource, query: ReportQuery, catalog: FlowCatalog
  ) throws(FunnelError) -> [String] {
    var texts: [String] = []
    let kinds = source.eventClasses
    for partition in 0..<source.partitionCount {
      try source.forEachSequence(inPartition: partition) { sequence in
        let (first, last) = (sequence.times[0], sequence.times[sequence.count - 1])
        if let since = query.since, last < since.milliseconds { return }
        if let until = query.until, first >= until.milliseconds { return }
        // A source may find further rows while it is read.
        let segments = source.segments
        // The numbers of attempts have no meaning except which are equal, so they are replaced by consecutive ones.
        var attempts: [UInt64: Int] = [0: 0]
        let events = (0..<sequence.count).sorted { a, b in
          let (flowA, flowB) = (kinds[Int(sequence.classIDs[a])].flow, kinds[Int(sequence.classIDs[b])].flow)
          return (flowA, a) < (flowB, b)
        }.map { event in
          let kind = kinds[Int(sequence.classIDs[event])]
          let values = segments.dimensions.map { segments.value(of: $0, row: sequence.rows?[event] ?? 0) }
          // An event's attempt matters only if its flow counts attempts.
          let byAttempt = (query.countBy ?? catalog.definitions[Int(kind.flow)].countBy) == .attempt
          let number = byAttempt ? sequence.attempts?[event] ?? 0 : 0
          let attempt = attempts[number] ?? attempts.count
          attempts[number] = attempt
          return "\(sequence.times[event]) \(kind.flow) \(kind.kind) \(attempt) \(values)"
        }
        texts.append(events.joined(separator: "\n"))
      }
    }
    return texts.sorted()
  }
}
