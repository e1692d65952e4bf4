public import FunnelStore
public import FunnelModel
import FunnelSystem

extension KeyStatistics {
  /// Counts the keys of a store's log.
  ///
  /// - Parameters:
  ///   - filter: The filter for the events.
  ///   - catalog: The flow definitions in force, which decide to which flow an event belongs.
  ///   - rawBytesMax: The maximum number of bytes of the log, inflated, that are read; of a longer log, the newest events.
  ///   - progress: Called from time to time with the progress of the reading.
  /// - Throws: `inputOutput` if a member is damaged.
  public static func ofLog(
    of store: StoreReader, matching filter: LogFilter = LogFilter(), catalog: FlowCatalog, threads: Int,
    rawBytesMax: Int = .max, progress: (InputProgress) -> Void = { _ in }
  ) throws -> KeyStatistics {
    var members = newest(try store.members().filter { filter.mayMatch($0.part.day) }, rawBytesMax: rawBytesMax)
    var statistics = KeyStatistics()
    var total = InputCounts()
    try OrderedPipeline.run(
      threads: threads,
      next: { members.popFirst() },
      makeWorker: { Worker(options: StoredEvents.options, catalog: catalog, filter: filter) },
      transform: { worker, member in
        // The place is that of the member, so that an error in a record names it.
        let place = LineBlock.Place(file: "\(member.part)", line: 1, byteOffset: member.offset)
        let counted = worker.count(LineBlock(place: place, content: .lines, bytes: try store.read(member)))
        if let refusal = counted.firstRefusal {
          throw FunnelError(.inputOutput, "a record of the log can't be read, \(refusal)")
        }
        return counted
      },
      consume: { counted in
        statistics.add(counted.keys)
        total.add(counted.counts)
        progress(InputProgress(events: total.events, bytes: total.bytes, fileBytes: 0))
      })
    return statistics
  }

  /// Counts the keys of raw files. A line that occurs twice is counted twice.
  ///
  /// - Parameters:
  ///   - rawBytesMax: The number of bytes of the files, inflated, after which no further block is read.
  /// - Returns: The keys, and the numbers of lines that were read and rejected.
  /// - Throws: `noInput` or `inputOutput` if a file can't be read.
  public static func ofFiles(
    _ files: [InputFile], options: DecodingOptions, matching filter: LogFilter = LogFilter(), catalog: FlowCatalog,
    threads: Int,
    rawBytesMax: Int = .max, progress: (InputProgress) -> Void = { _ in }
  ) throws -> (KeyStatistics, InputCounts) {
    let pool = BlockPool(blockBytesTarget: Limits.memberRawBytesTarget)
    var reader = InputReader(files: files, imports: options.imports, pool: pool)
    var rawBytes = 0
    var statistics = KeyStatistics()
    var total = InputCounts()
    try OrderedPipeline.run(
      threads: threads,
      next: { () throws -> LineBlock? in
        guard rawBytes < rawBytesMax, let block = try reader.next() else { return nil }
        rawBytes += block.byteCount
        return block
      },
      makeWorker: { Worker(options: options, catalog: catalog, filter: filter) },
      transform: { worker, block in
        defer { pool.give(block) }
        return worker.count(block)
      },
      consume: { counted in
        statistics.add(counted.keys)
        total.add(counted.counts)
        progress(InputProgress(events: total.events, bytes: total.bytes, fileBytes: reader.fileByteCount))
      })
    return (statistics, total)
  }

  /// Returns the last members, as many as are needed to inflate to `rawBytesMax` bytes.
  private static func newest(_ members: [MemberReference], rawBytesMax: Int) -> ArraySlice<MemberReference> {
    var first = members.endIndex
    var rawBytes = 0
    while first > 0, rawBytes < rawBytesMax {
      first -= 1
      rawBytes += members[first].header.rawBytes
    }
    return members[first...]
  }

  /// The state with which one thread counts block after block.
  private struct Worker {
    private var decoder: BlockDecoder
    private var counter: KeyCounter

    init(options: DecodingOptions, catalog: FlowCatalog, filter: LogFilter) {
      decoder = BlockDecoder(options: options, catalog: catalog, flows: filter.flows)
      counter = KeyCounter(filter: filter)
    }

    mutating func count(_ block: LineBlock) -> (keys: BlockKeys, counts: InputCounts, firstRefusal: String?) {
      decoder.decode(block, into: &counter)
      let (counts, firstRefusal) = (counter.counts, counter.firstRefusal)
      return (counter.takeBlock(), counts, firstRefusal)
    }
  }
}
