package import FunnelStore
package import FunnelModel
internal import FunnelSystem

/// Hands out the members of a store's log to several threads.
package final class StoredBlocks: BlockSource {
  private let store: StoreReader
  private let members: [MemberReference]
  private let taken = AtomicInteger(0)
  private let fileBytes = AtomicInteger(0)

  /// Creates a source of the members of a store's log that satisfy a predicate.
  ///
  /// - Throws: `inputOutput` if the log is damaged.
  package init(of store: StoreReader, where isWanted: (MemberReference) -> Bool = { _ in true }) throws(FunnelError) {
    self.store = store
    members = try store.members().filter(isWanted)
  }

  /// The total size in bytes of the members in the log.
  package var totalFileByteCount: Int { members.reduce(0) { $0 + $1.header.memberBytes } }

  package var fileByteCount: Int { fileBytes.value }

  package func recycle(_ block: consuming LineBlock, readerSlot: Int) {}

  package func next(readerSlot: Int) throws(FunnelError) -> LineBlock? {
    let index = taken.add(1) - 1
    guard index < members.count else { return nil }
    let member = members[index]
    let raw = try store.read(member)
    fileBytes.add(member.header.memberBytes)
    // The place is that of the member, so that messages about a record name it.
    return LineBlock(
      place: .init(file: "\(member.part)", line: 1, byteOffset: member.offset), content: .lines, bytes: raw)
  }
}

/// Reads a store's own records back.
package enum StoredEvents {
  /// The options for decoding records of the log, which were validated when they were ingested.
  package static let options = DecodingOptions(
    now: Timestamp(milliseconds: 0), privacy: PrivacyRules(keys: [], valueKinds: []), isTrusted: true)

  /// Decodes every event of the log, member by member, on several threads; results arrive in the order of the log.
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
        let place = LineBlock.Place(file: "\(member.part)", line: 1, byteOffset: 0)
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

  /// Returns those of the identities that the store holds.
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
