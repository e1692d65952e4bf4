package import FunnelStore
package import FunnelModel
internal import FunnelSystem

extension KeyStatistics {
  /// Returns the statistics of the keys in the log of a store.
  ///
  /// - Parameters:
  ///   - filter: The filter for the events.
  ///   - catalog: The current flow definitions, which assign events to flows.
  ///   - rawBytesMax: The approximate maximum of inflated bytes to read. The newest events of a longer log are read.
  ///   - progress: Called after each gzip member.
  /// - Throws: `inputOutput` if a gzip member is damaged.
  package static func ofLog(
    of store: StoreReader, matching filter: LogFilter = LogFilter(), catalog: FlowCatalog, threads: Int,
    rawBytesMax: Int = .max, progress: (InputProgress) -> Void = { _ in }
  ) throws -> KeyStatistics {
    var members = newest(try store.members().filter { filter.mayMatch($0.logFile.day) }, rawBytesMax: rawBytesMax)
    var statistics = KeyStatistics()
    var total = InputCounts()
    try OrderedPipeline.run(
      threads: threads,
      next: { members.popFirst() },
      makeWorker: { Worker(options: StoredEvents.options, catalog: catalog, filter: filter) },
      transform: { worker, member in
        // The position is that of the gzip member, so that an error message names it.
        let place = LineBlock.Place(file: "\(member.logFile)", line: 1, byteOffset: member.offset)
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
  package struct Worker {
    private var decoder: BlockDecoder
    private var counter: KeyCounter

    package init(options: DecodingOptions, catalog: FlowCatalog, filter: LogFilter) {
      decoder = BlockDecoder(options: options, catalog: catalog, flows: filter.flows)
      counter = KeyCounter(filter: filter)
    }

    /// Counts the keys of a block.
    package mutating func count(_ block: LineBlock) -> (keys: BlockKeys, counts: InputCounts, firstRefusal: String?) {
      decoder.decode(block, into: &counter)
      let counts = counter.counts
      let firstRefusal = counter.firstRefusal
      return (counter.takeBlock(), counts, firstRefusal)
    }
  }
}
