public import FunnelModel
internal import FunnelSystem

/// The event sequences of an index, prepared for one report.
///
///     guard let source = try IndexSource(index, catalog: catalog, query: query, flows: flows) else { /* read the log */ }
///
/// A subject whose events are all before the query's period, or all after it, is skipped: its groups are not counted.
public struct IndexSource: SequenceSource {
  private let index: EventIndex
  private let request: IndexRequest
  /// The translation of each sorted run.
  private let translations: [RunTranslation]
  private let meanings: Meanings
  public let segments: SegmentTable
  public let measuredKeys: [String]

  public var kinds: [EventClassTable.Entry] { meanings.kinds.entries }
  public var partitionCount: Int { IndexFormat.partitionCount }
  /// The statistics of the index, counted on demand.
  public var contents: StoreContents { StoreContents(index) }

  /// Prepares an index for a report.
  ///
  /// - Parameter flows: The flow versions of the report, as indices in the catalog.
  /// - Returns: `nil` if the report needs a key that is not indexed, or has too many segments. The caller can
  ///   then read the log.
  /// - Throws: `inputOutput` if the index is damaged; reading may throw it too. The caller can then read the log.
  public init?(_ index: EventIndex, catalog: FlowCatalog, query: ReportQuery, flows: Set<Int>) throws(FunnelError) {
    self.index = index
    request = IndexRequest(query, catalog: catalog, flows: flows)
    var translator = RunTranslator(request)
    var translations: [RunTranslation] = []
    for run in index.runs {
      guard let translation = try translator.translation(of: run) else { return nil }
      translations.append(translation)
    }
    self.translations = translations
    guard let changedRows = translator.changedRows() else { return nil }
    segments = translator.segments
    measuredKeys = translator.measuredKeys.map { String(decoding: $0, as: UTF8.self) }
    meanings = Meanings(
      kinds: translator.kinds, changedRows: changedRows,
      ranks: translator.kinds.entries.map {
        UInt32($0.kind.tieRank(stepCount: catalog.definitions[Int($0.flow)].steps.count))
      })
  }

  /// Releases the mapped pages of a share of the runs.
  public func releaseMemory(share number: Int, of count: Int) {
    // Unmapping a file is slow, page by page, so threads share the work. Runs that stay open keep their pages
    // for the next request.
    guard !OpenRuns.shared.isKeeping else { return }
    for run in stride(from: number, to: index.runs.count, by: count) { index.runs[run].releasePages() }
  }

  public func forEachSequence(
    inPartition number: Int, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    let sources = index.runs.indices.filter { index.runs[$0].subjectCount(ofPartition: number) > 0 }
    guard !sources.isEmpty else { return }
    var columns = SubjectReader.Columns()
    columns.attempts = sources.contains { translations[$0].needsAttempts }
    columns.context = sources.contains { translations[$0].needsContext }
    columns.props = sources.contains { translations[$0].needsProps }
    columns.keys = sources.count > 1
    var reading = SequenceReader(
      request: request, runs: sources.map { index.runs[$0] }, translations: sources.map { translations[$0] },
      meanings: meanings,
      readers: try SubjectReaders(
        sources.map { index.runs[$0] }, partition: number, columns: columns, measures: sources.map { translations[$0].measures }
      ))
    if sources.count == 1 { try reading.readOne(body) } else { try reading.readAll(body) }
  }
}

/// The properties of event classes that reading depends on.
struct Meanings: Sendable {
  /// The event classes by ID.
  let kinds: EventClassTable
  /// The segment rows of events in which a flow changes properties.
  let changedRows: ChangedRows
  /// The rank of each event class ID among events with the same time (``EventClass/tieRank(stepCount:)``).
  let ranks: [UInt32]
}
