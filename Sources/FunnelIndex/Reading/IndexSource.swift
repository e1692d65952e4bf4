internal import FunnelDecoding
package import FunnelModel
internal import FunnelSystem

/// The event sequences of an index, prepared for one report.
///
///     guard let source = try IndexSource(index, catalog: catalog, query: query, flows: flows) else { /* read the log */ }
///
/// A subject whose events are all before the query's period, or all after it, is skipped: its groups are not counted.
package struct IndexSource: SequenceSource {
  private let index: EventIndex
  private let request: IndexRequest
  /// The translation of each sorted run.
  private let translations: [RunTranslation]
  private let flowMatchTable: FlowMatchTable
  package let segments: SegmentTable
  package let measuredKeys: [String]
  /// The subjects whose events are regrouped by person; `nil` if there are none, or if no flow counts persons.
  private let regrouped: RegroupedSubjects?
  /// The sequences of the regrouped subjects.
  private let persons: PersonSequences?

  package var eventClasses: [EventClassTable.Entry] { flowMatchTable.eventClasses.entries }
  package var partitionCount: Int { IndexFormat.partitionCount + (persons == nil ? 0 : PersonSequences.partitionCount) }
  package var crowdedUsers: [CrowdedUser] { persons?.crowded ?? [] }
  /// The statistics of the index, counted on demand.
  package var contents: StoreContents { StoreContents(index) }

  /// Prepares an index for a report.
  ///
  /// - Parameters:
  ///   - flows: The flow versions of the report, as indices in the catalog.
  ///   - threads: The number of threads that gather the events of persons with several subjects.
  /// - Returns: `nil` if the report needs a key that is not indexed, or has too many segments. The caller can
  ///   then read the log.
  /// - Throws: `inputOutput` if the index is damaged; reading may throw it too. The caller can then read the log.
  package init?(
    _ index: EventIndex, catalog: FlowCatalog, query: ReportQuery, flows: Set<Int>, threads: Int
  ) throws(FunnelError) {
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
    flowMatchTable = FlowMatchTable(
      eventClasses: translator.eventClasses, changedRows: changedRows,
      ranks: ConstantTable(
        translator.eventClasses.entries.map {
          UInt32($0.kind.tieRank(stepCount: catalog.definitions[Int($0.flow)].steps.count))
        }))
    let found = try request.regroupedSubjects(of: index.runs, threads: threads)
    guard let regrouped = found, !regrouped.isEmpty else {
      self.regrouped = nil
      persons = nil
      return
    }
    self.regrouped = regrouped
    let appsOfTypes = try index.runs.map { run throws(FunnelError) in try translator.apps(of: run) }
    let reading = IndexReading(
      index: index, request: request, translations: translations, flowMatchTable: flowMatchTable)
    let gathered = try Parallel.map(count: IndexFormat.partitionCount, threads: threads) { (partition) throws(FunnelError) in
      try reading.gather(
        regrouped.occurrences(inPartition: partition), ofPartition: partition, appsOfTypes: appsOfTypes)
    }
    persons = try PersonSequences(
      gathered, classes: flowMatchTable.eventClasses.entries, stepCounts: catalog.definitions.map(\.steps.count),
      request: PersonSequences.Request(
        query, catalog: catalog, hasAttempts: translations.contains { $0.needsAttempts },
        hasRows: !request.dimensions.isEmpty, hasMeasurements: translations.contains { $0.measures != nil }),
      threads: threads)
  }

  /// Releases the mapped pages of a share of the runs.
  package func releaseMemory(share number: Int, of count: Int) {
    // Unmapping a file is slow, page by page, so threads share the work. Runs that stay open keep their pages
    // for the next request.
    guard !OpenRuns.shared.isKeeping else { return }
    for run in stride(from: number, to: index.runs.count, by: count) { index.runs[run].releasePages() }
  }

  package func forEachSequence(
    inPartition number: Int, upTo moment: Int64, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    precondition(number >= 0 && number < partitionCount, "a partition of the index is read")
    guard number < IndexFormat.partitionCount else {
      try persons?.forEachSequence(inPartition: number - IndexFormat.partitionCount, upTo: moment, body)
      return
    }
    let leftOut = regrouped?.occurrences(inPartition: number) ?? []
    let reading = IndexReading(
      index: index, request: request, translations: translations, flowMatchTable: flowMatchTable)
    guard moment < request.now else { return try reading.forEachSequence(inPartition: number, leavingOut: leftOut, body) }
    try reading.forEachSequence(inPartition: number, leavingOut: leftOut) { (sequence) throws(FunnelError) in
      if let earlier = sequence.upTo(moment) { try body(earlier) }
    }
  }
}

/// The sequences of an index as they are stored, subject by subject.
private struct IndexReading: Sendable {
  let index: EventIndex
  let request: IndexRequest
  let translations: [RunTranslation]
  let flowMatchTable: FlowMatchTable

  /// Passes the event sequences of a partition to `body`.
  ///
  /// - Parameter regrouped: The subjects to leave out.
  func forEachSequence(
    inPartition number: Int, leavingOut regrouped: [SharedSubjects.Occurrence],
    _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    let sources = index.runs.indices.filter { index.runs[$0].subjectCount(ofPartition: number) > 0 }
    guard !sources.isEmpty else { return }
    var columns = columns(of: sources)
    columns.keys = sources.count > 1
    columns.users = namesPersons
    var reading = SequenceReader(
      request: request, runs: sources.map { index.runs[$0] }, translations: sources.map { translations[$0] },
      flowMatchTable: flowMatchTable,
      readers: try SubjectReaders(
        sources.map { index.runs[$0] }, partition: number, columns: columns, measures: sources.map { translations[$0].measures }
      ))
    if sources.count == 1 {
      try reading.readOne(leavingOut: regrouped, body)
    } else {
      try reading.readAll(leavingOut: regrouped, body)
    }
  }

  /// Returns the columns that the translations of runs need.
  private func columns(of sources: [Int]) -> SubjectReader.Columns {
    var columns = SubjectReader.Columns()
    columns.attempts = sources.contains { translations[$0].needsAttempts }
    columns.context = sources.contains { translations[$0].needsContext }
    columns.props = sources.contains { translations[$0].needsProps }
    return columns
  }

  /// Whether the sequences have the names of persons.
  private var namesPersons: Bool { request.needs.subjects && request.countsPersons }

  /// Gathers the events of subjects of a partition.
  ///
  /// - Parameter appsOfTypes: For each run of the index the number of each event type's app.
  func gather(
    _ occurrences: [SharedSubjects.Occurrence], ofPartition number: Int, appsOfTypes: [[UInt32]]
  ) throws(FunnelError) -> GatheredSubjects {
    let sources = index.runs.indices.filter { index.runs[$0].subjectCount(ofPartition: number) > 0 }
    guard !occurrences.isEmpty else {
      var builder = GatheredSubjects.Builder()
      return builder.finish()
    }
    var columns = columns(of: sources)
    columns.users = true
    columns.userNumbers = true
    let readers = try SubjectReaders(
      sources.map { index.runs[$0] }, partition: number, columns: columns,
      measures: sources.map { translations[$0].measures })
    var reading = SequenceReader(
      request: request, runs: sources.map { index.runs[$0] }, translations: sources.map { translations[$0] },
      flowMatchTable: flowMatchTable, readers: SubjectReaders(skipping: readers))
    return try reading.gather(
      occurrences, ofPartition: number, appsOfTypes: sources.map { appsOfTypes[$0] })
  }
}

/// The properties of event classes that reading depends on.
struct FlowMatchTable: Sendable {
  /// The event classes by ID.
  let eventClasses: EventClassTable
  /// The segment rows of events in which a flow changes properties.
  let changedRows: ChangedRows
  /// The rank of each event class ID among events with the same time (``EventClass/tieRank(stepCount:)``).
  let ranks: ConstantTable
}

/// The parts of a report query that determine how the index is read: flows, dimensions and times.
struct IndexRequest: Sendable {
  let catalog: FlowCatalog
  /// The flow versions of the report, as indices in the catalog.
  let flows: Set<Int>
  /// The time after which events are ignored, in milliseconds since the epoch.
  let now: Int64
  /// The first time at which a group may start, in milliseconds since the epoch.
  let since: Int64
  /// The end of the period in which a group may start, exclusive, in milliseconds since the epoch.
  let until: Int64
  /// The stored dimensions of the query.
  let dimensions: [Dimension]
  /// The stored dimensions that the query itself uses, not only a report.
  private let asked: Set<Dimension>
  /// The further needs of the reports, such as event details and names.
  let needs: EventNeeds
  /// Whether each flow version of the catalog counts by attempt.
  let countsByAttempt: [Bool]
  /// Whether some flow version of the report counts persons, or entries of persons.
  let countsPersons: Bool

  /// Extracts the parts from a query.
  init(_ query: ReportQuery, catalog: FlowCatalog, flows: Set<Int>) {
    self.catalog = catalog
    self.flows = flows
    now = query.now.milliseconds
    since = query.since?.milliseconds ?? .min
    until = query.until?.milliseconds ?? .max
    dimensions = query.storedDimensions
    needs = query.allNeeds
    asked = Set((query.by + query.conditions.map(\.dimension)).compactMap(\.stored))
    countsByAttempt = catalog.definitions.map { query.unit(of: $0) == .attempt }
    countsPersons = query.countsPersons(in: flows, of: catalog)
  }

  /// Returns the subjects whose events are regrouped by person, or `nil` if there are none.
  ///
  /// - Throws: `inputOutput` if a run is damaged.
  func regroupedSubjects(of runs: [SortedRun], threads: Int) throws(FunnelError) -> RegroupedSubjects? {
    guard countsPersons else { return nil }
    guard needs.subjects else { return try RegroupedSubjects(runs, gathering: .shared, threads: threads) }
    // A subject may have events, and users, of other apps than those of the report.
    let apps = Set(runs.flatMap { $0.types.compactMap { $0.withBorrowedElements { EventTypeText($0)?.app.array } } })
    let hasSeveralApps = apps.count > 1
    return try RegroupedSubjects(runs, gathering: hasSeveralApps ? .all : .sharedOrLate(after: now), threads: threads)
  }

  /// The keys of `ctx` that the dimensions use.
  var contextKeys: [String] {
    dimensions.compactMap { if case .context(let key) = $0 { key } else { nil } }
  }

  /// Returns whether the query itself, not only a report, uses a dimension.
  func isAsked(_ dimension: Dimension) -> Bool { asked.contains(dimension) }

  /// Whether the query uses all properties as one dimension.
  var asksForAllProps: Bool { dimensions.contains(.properties) }

  /// The keys of `props` that the dimensions use.
  var propsKeys: [String] {
    dimensions.compactMap { if case .property(let key) = $0 { key } else { nil } }
  }
}
