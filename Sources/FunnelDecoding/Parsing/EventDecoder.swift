package import FunnelStore
package import FunnelModel

/// The options for decoding lines into events.
package struct DecodingOptions: Sendable {
  /// The app of events that name none, or `nil` if every event must name one.
  package var defaultApp: String?
  /// The current time: the `received_at` of events that have none, and the reference for the upper bound of timestamps.
  package var now: Timestamp
  /// The rules for personal data.
  package var privacy: PrivacyRules

  /// Whether the lines are records of a store. They were validated when they were ingested, so most checks are skipped.
  package var isTrusted: Bool

  /// The tombstones of forgotten subjects, whose events are not stored again.
  package var forgotten = Tombstones()
  /// The key that replaces subjects by pseudonyms, or `nil` if subjects are stored unchanged.
  package var pseudonyms: PseudonymKey?
  /// Whether a later ingest replaces IDs by pseudonyms, so that they may be personal data although they are kept unchanged here.
  package var awaitsPseudonyms = false

  /// The formats and mappings of imported records.
  package var imports = ImportPlans.automatic

  /// Creates options without tombstones, pseudonyms and mappings.
  package init(now: Timestamp, privacy: PrivacyRules, defaultApp: String? = nil, isTrusted: Bool = false) {
    self.now = now
    self.privacy = privacy
    self.defaultApp = defaultApp
    self.isTrusted = isTrusted
  }
}

/// Decodes single lines into events and validates them (specification section 1).
///
/// It supports every valid line and explains every invalid one. ``LineWalker`` is a faster decoder for most
/// lines. The checks have this order, and the first failure is the reason for rejection: JSON, envelope
/// version, personal data, missing fields, invalid fields, range of the timestamp. Not thread-safe: each worker
/// owns one.
struct EventDecoder {
  let options: DecodingOptions
  private let parser: LineParser
  private var envelope: Envelope
  private var times: EventTimeRange

  init(options: DecodingOptions) {
    self.options = options
    parser = LineParser(lineBytesMax: options.isTrusted ? Limits.recordBytesMax : Limits.lineBytesMax)
    envelope = Envelope(defaultApp: options.defaultApp)
    times = EventTimeRange(now: options.now)
  }

  /// Sets the receipt of the request that contains the next lines.
  mutating func receive(_ receipt: BatchReceipt) {
    envelope.receipt = receipt
    times = EventTimeRange(now: receipt.receivedAt)
  }

  /// The app of events that name none, or `nil` if every event must name one. The bytes are valid for the
  /// lifetime of the decoder.
  var defaultApp: BorrowedText? { envelope.defaultApp }

  /// The length of the longest line that can be decoded, in bytes.
  var lineBytesMax: Int { parser.lineBytesMax }

  /// Decodes a line.
  ///
  /// - Parameters:
  ///   - line: A line without its line break. ``LineParser/paddingBytes`` after it must be readable.
  ///   - event: The result, valid until the next line is decoded.
  /// - Throws: The reason for rejecting the line.
  mutating func decode(_ line: BorrowedText, into event: inout EventFields) throws(Rejection) {
    do {
      envelope.sort(try parser.parse(line))
    } catch {
      throw LineDiagnosis.rejection(of: line.span, for: error)
    }
    try envelope.refuseUnknownVersion()
    if !options.isTrusted {
      try PersonalData.refuse(
        in: envelope, rules: options.privacy, storesRawIDs: options.pseudonyms == nil && !options.awaitsPseudonyms)
    }
    try envelope.validate(into: &event)
    event.typeKey = 0
    if let receipt = envelope.receipt { event.receive(receipt) } else { event.correctClock(receivedAt: options.now) }
    if !options.isTrusted { try times.check(event) }
  }
}
