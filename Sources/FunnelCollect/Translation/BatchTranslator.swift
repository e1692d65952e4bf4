import FunnelDecoding
import FunnelImport
import FunnelModel

/// The events and the dead letters of a batch, or of a piece of one.
struct TranslatedBatch {
  /// A record that was refused: its number in the batch, from 0.
  struct Refused: Equatable {
    let record: Int
    let reason: RejectionReason
  }

  /// The events as native lines.
  var events: [UInt8] = []
  var eventCount = 0
  /// The dead letters, of which the record is the line.
  var deadLetters: [DeadLetter] = []
  /// The refused records, in the order of the batch.
  var refused: [Refused] = []
  /// The number of records that are no events, such as a link with only one ID.
  var leftOutCount = 0
  /// The number of events whose time of sending was too far from that of their receipt.
  var staleCount = 0

  /// Adds the counts and the refused records of a further piece, without its events and dead letters.
  mutating func addCounts(of piece: borrowing TranslatedBatch) {
    eventCount += piece.eventCount
    refused += piece.refused
    leftOutCount += piece.leftOutCount
    staleCount += piece.staleCount
  }
}

/// Translates batches to native events. Not thread-safe: each worker owns one.
final class BatchTranslator {
  private let options: DecodingOptions
  /// Properties are checked against flows when the events are ingested.
  private let noFlows: FlowCatalog
  /// The decoders by their format. Each keeps what it has learnt of the shapes of lines.
  private var decoders: [ImportFormat: BlockDecoder] = [:]

  /// Creates a translator.
  ///
  /// - Parameters:
  ///   - privacy: The rules for personal data.
  ///   - awaitsPseudonyms: Whether the ingest replaces IDs by pseudonyms.
  init(privacy: PrivacyRules, awaitsPseudonyms: Bool) {
    guard let noFlows = try? FlowCatalog(layers: []) else { preconditionFailure("no files contradict each other") }
    self.noFlows = noFlows
    var options = DecodingOptions(now: Timestamp(milliseconds: 0), privacy: privacy)
    options.imports = .sent
    options.awaitsPseudonyms = awaitsPseudonyms
    self.options = options
  }

  /// Translates a batch, and calls a closure with each piece and whether it is the last one, until the closure returns `false`.
  func translate(
    _ batch: borrowing ReceivedBatch, _ access: BatchReader.Access, receivedAt: Timestamp,
    _ body: (TranslatedBatch, _ isLast: Bool) -> Bool
  ) {
    let format = batch.format
    var decoder = decoders.removeValue(forKey: format) ?? BlockDecoder(options: options, catalog: noFlows)
    decoder.receive(
      BatchReceipt(
        app: access.app, receivedAt: receivedAt, sentAt: batch.sentAt, sentAgeMax: batch.sentAgeMax,
        isSentAtCut: batch.isSentAtCut))
    batch.records.forEachPiece { piece, isLast in
      var consumer = ReceivedEvents(access, options: options)
      let place = LineBlock.Place(file: "collect/\(access.app)", line: piece.firstRecord + 1, byteOffset: 0)
      var block = LineBlock(place: place, content: .lines, bytes: piece.bytes)
      block.format = format
      decoder.decode(block, into: &consumer)
      return body(consumer.batch, isLast)
    }
    decoders[format] = decoder
  }
}

/// Collects the events and the refused records of a batch.
private struct ReceivedEvents: EventConsumer {
  private(set) var batch = TranslatedBatch()
  private let access: BatchReader.Access
  private let options: DecodingOptions

  init(_ access: BatchReader.Access, options: DecodingOptions) {
    self.access = access
    self.options = options
  }

  mutating func countLine() {}

  mutating func countForgotten() { preconditionFailure("a collector knows no forgotten subjects") }

  mutating func add(_ counts: ImportCounts) { batch.leftOutCount += counts.droppedByMap }

  mutating func take(
    _ event: EventReference, line: Span<UInt8>, _ resolution: FlowMatcher.Resolution, facts: inout EventTypes.Facts,
    block: Int, with encoder: inout CanonicalEncoder
  ) {
    encoder.appendReceived(event, to: &batch.events)
    batch.events.append(UInt8(ascii: "\n"))
    batch.eventCount += 1
    if event.fields.hasStaleSendingTime { batch.staleCount += 1 }
  }

  mutating func refuse(_ rejection: Rejection, _ text: borrowing RejectedText, at place: LineBlock.Place) {
    var letter = DeadLetter(rejection, text, at: place, options: options, defaultApp: access.app)
    var raw = BatchMembers.removed(from: letter.raw)
    let isJSON = (try? JSONDocument(parsing: raw)) != nil
    // A text that is no JSON can't be retried. Another value might make it JSON, of which nothing is masked yet.
    if isJSON, letter.format == .native { raw = ClaimedApp.replaced(in: raw, by: access.app) }
    letter.rawByteCount -= letter.raw.count - raw.count
    letter.raw = raw
    if !isJSON, let masked = UnreadableText.masked(raw, by: options.privacy) {
      letter.raw = masked
      letter.isMasked = true
    }
    letter.maskKey(access.key)
    batch.deadLetters.append(letter)
    batch.refused.append(TranslatedBatch.Refused(record: place.line - 1, reason: rejection.reason))
  }
}

extension DeadLetter {
  /// Masks the key of the app, which some clients put into each record. No event has it.
  fileprivate mutating func maskKey(_ key: String) {
    let key = Array(key.utf8)
    guard let first = raw.firstRange(of: key) else { return }
    var masked: [UInt8] = []
    var start = 0
    var next: Range<Int>? = first
    while let range = next {
      masked += raw[start..<range.lowerBound] + Array("***".utf8)
      start = range.upperBound
      next = raw[start...].firstRange(of: key)
    }
    raw = masked + raw[start...]
    isLeftOutMasked = !isMasked
  }
}
