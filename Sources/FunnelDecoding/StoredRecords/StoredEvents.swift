package import FunnelStore
package import FunnelModel
internal import FunnelSystem

/// Distributes the gzip members of a store's log to several threads, each as one block.
package final class StoredBlocks: BlockSource {
  private let store: StoreReader
  private let members: [MemberReference]
  /// The number of members that were requested.
  private let taken = AtomicInteger(0)
  private let fileBytes = AtomicInteger(0)

  /// Creates a source of the log members that satisfy a predicate.
  ///
  /// - Throws: `inputOutput` if the log is damaged.
  package init(of store: StoreReader, where isWanted: (MemberReference) -> Bool = { _ in true }) throws(FunnelError) {
    self.store = store
    members = try store.members().filter(isWanted)
  }

  /// The total size of the members on the disk, in bytes.
  package var totalFileByteCount: Int { members.reduce(0) { $0 + $1.header.memberBytes } }

  package var fileByteCount: Int { fileBytes.value }

  /// Does nothing: the memory of members is not reused.
  package func recycle(_ block: consuming LineBlock, readerSlot: Int) {}

  /// Returns the next member, or `nil` if there are no more.
  ///
  /// - Throws: `inputOutput` if the member is damaged.
  package func next(readerSlot: Int) throws(FunnelError) -> LineBlock? {
    let index = taken.add(1) - 1
    guard index < members.count else { return nil }
    let member = members[index]
    let raw = try store.read(member)
    fileBytes.add(member.header.memberBytes)
    // Messages about a record contain the position of the member.
    return LineBlock(
      place: .init(file: "\(member.logFile)", line: 1, byteOffset: member.offset), content: .lines, bytes: raw)
  }
}

/// Decodes the records of a store's log.
package enum StoredEvents {
  /// The options for decoding records of the log. The records are trusted: they were validated when they were ingested.
  package static let options = DecodingOptions(
    now: Timestamp(milliseconds: 0), privacy: PrivacyRules(keys: [], valueKinds: []), isTrusted: true)

  /// Decodes the members of the log that satisfy a predicate on several threads, and passes the results to a
  /// closure in the order of the log.
  ///
  /// - Throws: `inputOutput` if a member is damaged.
  package static func forEachBlock(
    of store: StoreReader, catalog: FlowCatalog, threads: Int, wanting wants: DecodingWants,
    where isWanted: (MemberReference) -> Bool = { _ in true },
    _ consume: (DecodedBlock) throws -> Void
  ) throws {
    let options = options
    var members = try store.members().filter(isWanted)[...]
    try OrderedPipeline.run(
      threads: threads,
      next: { members.popFirst() },
      makeWorker: { BlockDecoder(options: options, catalog: catalog) },
      transform: { decoder, member in
        let raw = try store.read(member)
        let place = LineBlock.Place(file: "\(member.logFile)", line: 1, byteOffset: 0)
        return decoder.decode(LineBlock(place: place, content: .lines, bytes: raw), wanting: wants)
      },
      consume: { block in
        if let letter = block.deadLetters.first {
          throw FunnelError(
            .inputOutput, "a record of the log can't be read, \(letter.file) line \(letter.line), \(letter.message)")
        }
        try consume(block)
      })
  }

  /// Returns the candidates that are identities of events in the store.
  package static func known(
    among candidates: Set<Hash128>, in store: StoreReader, threads: Int
  ) throws -> Set<Hash128> {
    guard store.eventCount > 0, !candidates.isEmpty else { return [] }
    var known: Set<Hash128> = []
    try forEachBlock(of: store, catalog: try FlowCatalog(layers: []), threads: threads, wanting: DecodingWants(records: false))
    { block in
      for event in block.events where candidates.contains(event.identity) { known.insert(event.identity) }
    }
    return known
  }
}
