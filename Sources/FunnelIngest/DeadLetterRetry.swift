public import FunnelLog
public import FunnelModel

/// Tries the refused lines of a store again, after a schema or the tool was mended: what passes now goes to the log and leaves the dead letters.
public enum DeadLetterRetry {
  /// What a retry came to.
  public struct Summary: Hashable, Sendable {
    /// Dead letters there were.
    public var letters = 0
    /// Those that are not whole: masked, cut, or the damage of a gzip file.
    public var notReplayable = 0
    /// Those that are refused still.
    public var refused = 0
    /// Those of somebody who was forgotten since: nothing is kept of them.
    public var forgotten = 0
    /// What became of the others.
    public var events = IngestSummary()
  }

  /// Tries every dead letter again, as one commit.
  ///
  /// - Throws: `inputOutput` where the store is damaged or can't be written.
  public static func run(on writer: StoreWriter, catalog: FlowCatalog, options: Ingestor.Options) throws -> Summary {
    var summary = Summary()
    let store = writer.reader
    let entries = try DeadLetterBox.entries(of: store)
    var batch = EventBatch()
    var commit = CommitBatch(kind: "retry", at: options.decoding.now)
    var decoders: [String?: BlockDecoder] = [:]
    for entry in entries {
      summary.letters += 1
      var kept = entry.letter
      if entry.letter.isReplayable {
        let app = entry.letter.defaultApp
        var decoder = decoders[app] ?? Self.decoder(for: app, catalog: catalog, options: options)
        let block = decoder.decode(entry.letter.block)
        decoders[app] = decoder
        guard let refused = block.deadLetters.first else {
          summary.forgotten += block.forgottenCount
          batch.append(block)
          continue
        }
        kept = refused
        summary.refused += 1
      } else {
        summary.notReplayable += 1
      }
      var line: [UInt8] = []
      kept.appendJSON(at: entry.time, to: &line)
      commit.deadLetters[entry.time.day, default: RecordBatch()].append(line.dropLast(), timestamp: entry.time)
    }
    summary.events.lines = summary.letters
    summary.events.eventsInStore = store.eventCount
    guard !batch.isEmpty else { return summary }
    let isDropped = try ScannedStore(store, threads: options.threads).duplicates(in: batch, ())
    commit.events = batch.records(without: isDropped, counting: &summary.events)
    commit.removed = Array(Set(entries.map(\.part))).sorted()
    summary.events.commit = try writer.commit(commit).number
    summary.events.eventsInStore = writer.reader.eventCount
    return summary
  }

  private static func decoder(for app: String?, catalog: FlowCatalog, options: Ingestor.Options) -> BlockDecoder {
    var decoding = options.decoding
    decoding.defaultApp = app ?? decoding.defaultApp
    return BlockDecoder(options: decoding, catalog: catalog)
  }
}

extension DeadLetter {
  /// The line as it came in.
  fileprivate var block: LineBlock {
    LineBlock(place: .init(file: file, line: line, byteOffset: byteOffset), content: .lines, bytes: raw)
  }
}
