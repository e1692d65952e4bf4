public import FunnelModel
internal import FunnelSystem

/// The histories of an index, prepared for one report.
///
///     guard let source = try IndexSource(index, catalog: catalog, query: query, flows: flows) else { /* read the log */ }
///
/// A subject whose events all precede the query's period, or all follow it, is skipped: it can't count.
public struct IndexSource: SequenceSource {
  private let index: EventIndex
  private let question: IndexRequest
  private let translations: [RunTranslation]
  private let meanings: Meanings
  public let segments: SegmentTable
  public let measuredKeys: [String]

  public var kinds: [EventClassTable.Entry] { meanings.kinds.entries }
  public var partitionCount: Int { IndexFormat.partitionCount }
  /// The contents of the index, counted on demand.
  public var contents: StoreContents { StoreContents(index) }

  /// Prepares an index for a report.
  ///
  /// - Parameters:
  ///   - flows: Indices in the catalog of the flow versions the report is about.
  /// - Returns: nil if the report needs something that is not indexed: a property with too many values, or too many segments.
  /// - Throws: `inputOutput` if the index is damaged, which reading may throw too. The caller can then read the log instead.
  public init?(_ index: EventIndex, catalog: FlowCatalog, query: ReportQuery, flows: Set<Int>) throws(FunnelError) {
    self.index = index
    question = IndexRequest(query, catalog: catalog, flows: flows)
    var translator = RunTranslator(question)
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

  /// Releases a share of the runs' pages. Unmapping a file from memory is slow, page by page, so threads share the work.
  public func releaseMemory(share number: Int, of count: Int) {
    // The next question reads the same pages.
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
      question: question, runs: sources.map { index.runs[$0] }, translations: sources.map { translations[$0] },
      meanings: meanings,
      readers: try SubjectReaders(
        sources.map { index.runs[$0] }, partition: number, columns: columns, measures: sources.map { translations[$0].measures }
      ))
    if sources.count == 1 { try reading.readOne(body) } else { try reading.readAll(body) }
  }
}

/// The meanings of the codes of histories, as far as reading depends on them.
struct Meanings: Sendable {
  let kinds: EventClassTable
  let changedRows: ChangedRows
  /// The rank of each kind among events with the same time (``EventClass/tieRank(stepCount:)``).
  let ranks: [UInt32]
}
