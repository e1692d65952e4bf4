package import FunnelLog
package import FunnelModel

/// Reads a store's own records back.
package enum StoredEvents {
  /// Decodes every event of the log, member by member, on several threads; results come in the order of the log.
  ///
  /// - Throws: `inputOutput` where a member is damaged.
  package static func forEachBlock<Sink: EventSink>(
    of store: StoreReader, catalog: FlowCatalog, threads: Int, sink: Sink,
    where isWanted: (MemberReference) -> Bool = { _ in true },
    _ consume: (DecodedBlock<Sink>) throws -> Void
  ) throws {
    let options = DecodingOptions(now: Timestamp(milliseconds: 0), privacy: PrivacyRules(keys: [], valueKinds: []), isTrusted: true)
    var members = try store.members().filter(isWanted)[...]
    try OrderedPipeline.run(
      threads: threads,
      next: { members.popFirst() },
      makeWorker: { BlockDecoder(options: options, catalog: catalog) },
      transform: { decoder, member in
        Result { () throws(FunnelError) in
          let raw = try store.read(member)
          let place = LineBlock.Place(file: "\(member.part)", line: 1, byteOffset: 0)
          return decoder.decode(LineBlock(place: place, content: .lines, bytes: raw), sink: sink)
        }
      },
      consume: { result in
        let block = try result.get()
        if let letter = block.deadLetters.first {
          throw FunnelError(
            .inputOutput, "a record of the log can't be read, \(letter.file) line \(letter.line), \(letter.message)")
        }
        try consume(block)
      })
  }

  /// Those of the identities that the store holds.
  package static func known(
    among candidates: Set<Hash128>, in store: StoreReader, threads: Int
  ) throws -> Set<Hash128> {
    guard store.eventCount > 0, !candidates.isEmpty else { return [] }
    var known: Set<Hash128> = []
    try forEachBlock(of: store, catalog: try FlowCatalog(layers: []), threads: threads, sink: NoEventSink()) { block in
      for event in block.events where candidates.contains(event.identity) { known.insert(event.identity) }
    }
    return known
  }
}
