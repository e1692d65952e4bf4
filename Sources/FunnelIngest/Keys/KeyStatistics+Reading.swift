public import FunnelStore
public import FunnelModel
import FunnelSystem

extension KeyStatistics {
  /// Returns the statistics of the keys in the log of a store.
  ///
  /// - Parameters:
  ///   - filter: The filter for the events.
  ///   - catalog: The current flow definitions, which assign events to flows.
  ///   - rawBytesMax: The approximate maximum of inflated bytes to read. The newest events of a longer log are read.
  ///   - progress: Called after each gzip member.
  /// - Throws: `inputOutput` if a gzip member is damaged.
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
        // The position is that of the gzip member, so that an error message names it.
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

  /// Returns the statistics of the keys in event files. Duplicates are counted.
  ///
  /// - Parameters:
  ///   - filter: The filter for the events.
  ///   - catalog: The current flow definitions, which assign events to flows.
  ///   - rawBytesMax: The number of inflated bytes after which no further block is read.
  ///   - progress: Called after each block.
  /// - Returns: The statistics, and the numbers of lines and rejections.
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

  /// Returns the last gzip members, as many as inflate to at least `rawBytesMax` bytes.
  private static func newest(_ members: [MemberReference], rawBytesMax: Int) -> ArraySlice<MemberReference> {
    var first = members.endIndex
    var rawBytes = 0
    while first > 0, rawBytes < rawBytesMax {
      first -= 1
      rawBytes += members[first].header.rawBytes
    }
    return members[first...]
  }

  /// The decoder and the counter of one thread.
  private struct Worker {
    private var decoder: BlockDecoder
    private var counter: KeyCounter

    init(options: DecodingOptions, catalog: FlowCatalog, filter: LogFilter) {
      decoder = BlockDecoder(options: options, catalog: catalog, flows: filter.flows)
      counter = KeyCounter(filter: filter)
    }

    /// Counts the keys of a block.
    mutating func count(_ block: LineBlock) -> (keys: BlockKeys, counts: InputCounts, firstRefusal: String?) {
      decoder.decode(block, into: &counter)
      let counts = counter.counts
      let firstRefusal = counter.firstRefusal
      return (counter.takeBlock(), counts, firstRefusal)
    }
  }
}
