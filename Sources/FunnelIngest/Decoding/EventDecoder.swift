public import FunnelStore
public import FunnelModel

/// The conditions besides the event itself that decide whether it is valid.
public struct DecodingOptions: Sendable {
  /// The app of events that name none.
  public var defaultApp: String?
  /// The clock: the `received_at` of events that have none, and the reference for the upper bound of timestamps.
  public var now: Timestamp
  /// The rules for personal data.
  public var privacy: PrivacyRules

  /// Whether the lines are records of a store, whose content was checked when they were ingested.
  public var isTrusted: Bool

  /// The tombstones that keep forgotten subjects out.
  public var forgotten = Tombstones()
  /// The key that replaces subjects by pseudonyms, or nil if subjects are kept as they are.
  public var pseudonyms: PseudonymKey?

  /// How the records of inputs are read.
  public var imports = ImportPlans.automatic

  public init(now: Timestamp, privacy: PrivacyRules, defaultApp: String? = nil, isTrusted: Bool = false) {
    self.now = now
    self.privacy = privacy
    self.defaultApp = defaultApp
    self.isTrusted = isTrusted
  }
}

/// Decodes a line of foreign input into a valid event, or throws the reason why it is invalid (specification section 1).
///
/// Checks are made in this order, and the first failure is the reason: JSON, envelope version, personal data, missing fields, invalid
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

  /// The app of events that name none, valid for the lifetime of the decoder.
  var defaultApp: UnsafeRawBufferPointer? { envelope.defaultApp }

  /// The length of the longest line it accepts, in bytes.
  var lineBytesMax: Int { parser.lineBytesMax }

  /// Fills in the event of a line, valid until the next line is decoded. ``LineParser/paddingBytes`` after the line must be readable.
  mutating func decode(_ line: UnsafeRawBufferPointer, into event: inout EventFields) throws(Rejection) {
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
