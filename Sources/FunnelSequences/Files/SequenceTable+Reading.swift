internal import FunnelIndex
package import FunnelDecoding
package import FunnelIngest
package import FunnelStore
package import FunnelModel
import FunnelSystem

extension SequenceTable {
  /// The input to read, with the number of threads and the memory to use for it.
  package struct Input {
    fileprivate enum Content {
      case files([InputFile], DecodingOptions)
      case store(StoreReader)
    }

    fileprivate let content: Content
    fileprivate let threads: Int
    fileprivate let memoryBytesMax: Int
    /// Whether ``InputCounts/fingerprint`` is computed.
    package var hasFingerprint = false

    /// Returns an input of raw files, validated according to the options.
    ///
    /// - Parameters:
    ///   - threads: The number of threads that read and decode.
    ///   - memoryBytesMax: The number of bytes of memory that rows may use before they are spilled to a temporary file.
    package static func files(
      _ files: [InputFile], options: DecodingOptions, threads: Int, memoryBytesMax: Int = Limits.memoryBytesMaxDefault
    ) -> Input {
      Input(content: .files(files, options), threads: max(threads, 1), memoryBytesMax: memoryBytesMax)
    }

    /// Returns the log of a store as input; its events were validated at ingest.
    package static func store(
      _ store: StoreReader, threads: Int, memoryBytesMax: Int = Limits.memoryBytesMaxDefault
    ) -> Input {
      Input(content: .store(store), threads: max(threads, 1), memoryBytesMax: memoryBytesMax)
    }

    /// Whether the input can be read only once.
    fileprivate var isStream: Bool {
      if case .files(let files, _) = content { return files.contains { $0.byteCount == nil } }
      return false
    }

    /// The collector of unreadable events, or `nil` if an unreadable event is an error.
    fileprivate var damage: StoreDamage? {
      if case .store(let store) = content { return store.damage }
      return nil
    }

    fileprivate var options: DecodingOptions {
      if case .files(_, let options) = content { return options }
      return StoredEvents.options
    }

    /// Returns the blocks to decode. Those of a store may include events after `now`.
    ///
    /// - Throws: The error of the store.
    fileprivate func blocks(until now: Timestamp) throws(FunnelError) -> any BlockSource {
      switch content {
      case .files(let files, let options): BlockReaderSlots(files: files, count: threads, imports: options.imports)
      // The filter uses days only. No checksum covers the times in the header of a gzip member, so they must not skip events.
      case .store(let store): try StoredBlocks(of: store) { $0.logFile.day.midnight <= now }
      }
    }
  }

  /// Reads log files or a store into a table and calls `body` with it.
  ///
  /// The events are validated and deduplicated as in an ingest, but nothing is stored.
  ///
  /// - Parameters:
  ///   - input: The input to read.
  ///   - catalog: The flow definitions in force.
  ///   - query: The query of the report.
  ///   - flows: Indices in the catalog of the flow versions the report is about.
  ///   - progress: Called after each block of the calling thread, on that thread.
  ///   - body: Aggregates the event sequences. It is called again if the events have to be read again with more columns.
  /// - Returns: The last result of `body`, and the counts of lines read and rejected.
  /// - Throws: `noInput` or `inputOutput` if a file can't be read, `cannotCreate` if temporary files can't be
  ///   created, and any error of `body`.
  package static func withSequences<Result>(
    of input: Input, catalog: FlowCatalog, query: ReportQuery, flows: Set<Int>, progress: (InputProgress) -> Void,
    _ body: (SequenceTable) throws(FunnelError) -> Result
  ) throws(FunnelError) -> (Result, InputCounts) {
    var columns = RowColumns()
    columns.attempts = flows.contains { query.unit(of: catalog.definitions[$0]) == .attempt }
    columns.dimensions = !query.storedDimensions.isEmpty
    let needs = query.allNeeds
    columns.names = needs.subjects || needs.attempts
    columns.details = input.isStream || columns.names
    // A stream can't be read again, so all columns that may be needed are loaded at once.
    columns.records = input.isStream
    columns.users = input.isStream && query.countsPersons(in: flows, of: catalog)
    columns.names = columns.names || columns.users
    while true {
      let table = SequenceTable(
        catalog: catalog, query: query, flows: flows, columns: columns, memoryBytesMax: input.memoryBytesMax)
      if var counts = try table.read(input, catalog: catalog, progress: progress) {
        table.note(counts.contents)
        if columns.users { try table.gatherPersons(threads: input.threads) }
        // What the body makes of events whose order is not known yet is discarded, its error too.
        let outcome = Swift.Result { () throws(FunnelError) in try body(table) }
        if !table.isUndecided {
          let result = try outcome.get()
          counts.duplicates = table.removeDuplicates(from: &counts.contents)
          return (result, counts)
        }
      }
      if table.lacksUsers {
        columns.users = true
        columns.names = true
        columns.details = true
        continue
      }
      precondition(!columns.records, "with ids and records nothing is undecided")
      columns.records = columns.details
      columns.details = true
    }
  }

  /// Reads all blocks with all threads.
  ///
  /// - Returns: The counts of lines, or `nil` if a thread's first block shows that the order will depend on details that are
  ///   not loaded.
  private func read(
    _ input: Input, catalog: FlowCatalog, progress: (InputProgress) -> Void
  ) throws(FunnelError) -> InputCounts? {
    let reading = Reading(
      input.options, blocks: try input.blocks(until: query.now), damage: input.damage, hasFingerprint: input.hasFingerprint)
    let others = ThreadGroup()
    for readerSlot in 1..<input.threads { others.start { self.work(readerSlot, reading, catalog) { _ in } } }
    work(0, reading, catalog, progress)
    others.wait()
    if let error = reading.outcome.withLock({ $0.error }) { throw error }
    return reading.needsDetails.isSet || lacksUsers ? nil : reading.outcome.withLock { $0.counts }
  }

  /// The state that the threads of one pass over the input share.
  private final class Reading: Sendable {
    struct Outcome {
      var counts = InputCounts()
      var error: FunnelError?
    }

    let options: DecodingOptions
    let blocks: any BlockSource
    let damage: StoreDamage?
    let hasFingerprint: Bool
    let outcome = Guarded(Outcome())
    /// Set if the order of events will probably depend on details.
    let needsDetails = AtomicFlag()
    /// Set to stop all threads.
    let isOver = AtomicFlag()

    init(_ options: DecodingOptions, blocks: any BlockSource, damage: StoreDamage?, hasFingerprint: Bool) {
      self.options = options
      self.blocks = blocks
      self.damage = damage
      self.hasFingerprint = hasFingerprint
    }
  }

  /// Decodes blocks and adds their rows to the table until the input ends or `reading.isOver` is set.
  private func work(_ readerSlot: Int, _ reading: Reading, _ catalog: FlowCatalog, _ progress: (InputProgress) -> Void) {
    var wants = EventRows.Wants()
    wants.attempts = columns.attempts
    wants.details = columns.details
    wants.users = columns.users
    wants.records = columns.records
    wants.names = columns.names
    wants.fingerprint = reading.hasFingerprint
    wants.dimensions = segments.dimensions
    var rows = EventRows(wants)
    var decoder = BlockDecoder(
      options: reading.options, catalog: catalog, dimensions: segments.dimensions, details: query.allNeeds.details)
    var stager = SequenceStager(self)
    var isFirst = true
    do throws(FunnelError) {
      while !reading.isOver.isSet, let block = try reading.blocks.next(readerSlot: readerSlot) {
        let refusedBefore = rows.counts.rejectedCount
        decoder.decode(block, into: &rows)
        let refused = rows.counts.rejectedCount - refusedBefore
        if refused > 0 {
          reading.damage?.noteUnreadable(events: refused, path: block.place.file, offset: block.place.byteOffset)
        }
        reading.blocks.recycle(block, readerSlot: readerSlot)
        try stager.add(rows, flowMatchLists: decoder.flowMatchLists)
        if rows.hasUsers, countsPersons, !columns.users {
          missingUsers.set()
          reading.isOver.set()
        }
        if isFirst, !columns.details, rows.suggestTies {
          reading.needsDetails.set()
          reading.isOver.set()
        }
        isFirst = false
        rows.removeRows()
        progress(InputProgress(events: rows.counts.events, bytes: rows.counts.bytes, fileBytes: reading.blocks.fileByteCount))
      }
      try stager.finish()
      if reading.options.isTrusted, reading.damage == nil, let refusal = rows.firstRefusal {
        throw FunnelError(.inputOutput, "a record of the log can't be read, \(refusal)")
      }
    } catch {
      reading.isOver.set()
      reading.outcome.withLock { $0.error = $0.error ?? error }
    }
    reading.outcome.withLock { $0.counts.add(rows.counts) }
  }
}

extension EventRows {
  /// Whether many events of a group probably have the same time.
  ///
  /// That is assumed if events have sequence numbers, or if more than half of the times are whole seconds.
  fileprivate var suggestTies: Bool {
    let wholeSecondCount = rows.indices.count { rows[$0].milliseconds % Self.millisecondsOfSecond == 0 }
    return hasSequences || wholeSecondCount > rows.count / 2
  }

  private static let millisecondsOfSecond: Int64 = 1000
}
