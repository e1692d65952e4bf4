public import FunnelStore
public import FunnelModel

/// What decides whether an event is valid, besides the event.
public struct DecodingOptions: Sendable {
  /// The app of events that name none.
  public var defaultApp: String?
  /// The clock: received_at of events that carry none, and the bound of timestamps.
  public var now: Timestamp
  /// What counts as personal data.
  public var privacy: PrivacyRules

  /// Whether the lines are our own records, whose content was checked when they were taken.
  public var isTrusted: Bool

  /// Who must not come back.
  public var forgotten = Tombstones()
  /// What puts pseudonyms in the place of subjects; nil where subjects stay as they are.
  public var pseudonyms: PseudonymKey?

  public init(now: Timestamp, privacy: PrivacyRules, defaultApp: String? = nil, isTrusted: Bool = false) {
    self.now = now
    self.privacy = privacy
    self.defaultApp = defaultApp
    self.isTrusted = isTrusted
  }
}

/// Turns a line of foreign input into a valid event, or says why it is none (specification section 1).
///
/// Checks come in this order, the first failure is the reason: JSON, envelope version, personal data, missing fields, invalid
/// fields, the range of the timestamp. Not to be shared between threads.
struct EventDecoder {
  let options: DecodingOptions
  private let parser: LineParser
  private var envelope: Envelope

  init(options: DecodingOptions) {
    self.options = options
    parser = LineParser(lineBytesMax: options.isTrusted ? Limits.recordBytesMax : Limits.lineBytesMax)
    envelope = Envelope(defaultApp: options.defaultApp)
  }

  /// The app of events that name none; good as long as the decoder lives.
  var defaultApp: UnsafeRawBufferPointer? { envelope.defaultApp }

  /// The longest line it takes, in bytes.
  var lineBytesMax: Int { parser.lineBytesMax }

  /// Fills in the event a line holds, good until the next one is decoded. ``LineParser/paddingBytes`` after the line must be readable.
  mutating func decode(_ line: UnsafeRawBufferPointer, into event: inout EventFields) throws(Reject) {
    do {
      envelope.sort(try parser.parse(line))
    } catch {
      throw LineDiagnosis.reject(for: error, line: line)
    }
    try envelope.refuseUnknownVersion()
    if !options.isTrusted { try PersonalData.refuse(in: envelope, rules: options.privacy) }
    try envelope.validate(into: &event)
    event.typeKey = 0
    event.correctClock(receivedAt: options.now)
    if !options.isTrusted { try event.refuseOutOfRange(now: options.now) }
  }
}
