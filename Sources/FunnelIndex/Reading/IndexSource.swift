public import FunnelModel
internal import FunnelSystem

/// The histories an index holds, for one report.
///
///     guard let source = try IndexSource(index, catalog: catalog, query: query, flows: flows) else { /* read the log */ }
///
/// A subject all of whose events come before the query's span, or after it, is not handed out: it can't count.
public struct IndexSource: HistorySource {
  private let index: JourneyIndex
  private let question: IndexQuestion
  private let translations: [RunTranslation]
  private let meanings: Meanings
  public let segments: SegmentTable

  public var kinds: [KindTable.Entry] { meanings.kinds.entries }
  public var partitionCount: Int { IndexFormat.partitionCount }
  /// What the index holds, by name.
  package var contents: StoreContents { StoreContents(index) }

  /// Prepares an index for a report.
  ///
  /// - Parameters:
  ///   - flows: Indices in the catalog of the flow versions the report is about.
  /// - Returns: nil where the report asks for what the index leaves out: a property with very many values, or as many segments.
  /// - Throws: `inputOutput` where the index is damaged. So does reading; either way the log has the answer.
  public init?(_ index: JourneyIndex, catalog: FlowCatalog, query: ReportQuery, flows: Set<Int>) throws(FunnelError) {
    self.index = index
    question = IndexQuestion(query, catalog: catalog, flows: flows)
    var translator = RunTranslator(question)
    var translations: [RunTranslation] = []
    for run in index.runs {
      guard let translation = try translator.translation(of: run) else { return nil }
      translations.append(translation)
    }
    self.translations = translations
    guard let changedRows = translator.changedRows() else { return nil }
    segments = translator.segments
    meanings = Meanings(
      kinds: translator.kinds, changedRows: changedRows,
      ranks: translator.kinds.entries.map {
        UInt32($0.kind.tieRank(stepCount: catalog.definitions[Int($0.flow)].steps.count))
      })
  }

  /// Taking a mapped file out of a process's memory takes long, page by page: threads share the work.
  public func releaseMemory(share number: Int, of count: Int) {
    for run in stride(from: number, to: index.runs.count, by: count) { index.runs[run].releasePages() }
  }

  public func forEachHistory(
    inPartition number: Int, _ body: (SubjectHistory) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    let sources = index.runs.indices.filter { index.runs[$0].subjectCount(ofPartition: number) > 0 }
    guard !sources.isEmpty else { return }
    var columns = SubjectReader.Columns()
    columns.attempts = sources.contains { translations[$0].needsAttempts }
    columns.context = sources.contains { translations[$0].needsContext }
    columns.props = sources.contains { translations[$0].needsProps }
    columns.keys = sources.count > 1
    var reading = HistoryReading(
      question: question, runs: sources.map { index.runs[$0] }, translations: sources.map { translations[$0] },
      meanings: meanings, readers: try SubjectReaders(sources.map { index.runs[$0] }, partition: number, columns: columns))
    if sources.count == 1 { try reading.readOne(body) } else { try reading.readAll(body) }
  }
}

/// What the codes of histories mean, as far as reading them needs to know.
struct Meanings: Sendable {
  let kinds: KindTable
  let changedRows: ChangedRows
  /// The place of each kind among events of the same time (``EventKind/tieRank(stepCount:)``).
  let ranks: [UInt32]
}
