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

  public init(now: Timestamp, privacy: PrivacyRules, defaultApp: String? = nil, isTrusted: Bool = false) {
    self.now = now
    self.privacy = privacy
    self.defaultApp = defaultApp
    self.isTrusted = isTrusted
  }
}

/// Turns a line of foreign input into a valid event, or says why it is none (contract section 1).
///
/// Checks come in this order, the first failure is the reason: JSON, envelope version, personal data, missing fields, invalid
/// fields, the range of the timestamp. Not to be shared between threads.
final class EventDecoder {
  let options: DecodingOptions
  private let parser = LineParser()
  private let defaultApp: UnsafeMutableRawBufferPointer?
  private var idText: [UInt8] = []

  init(options: DecodingOptions) {
    self.options = options
    defaultApp = options.defaultApp.map { app in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: app.utf8.count, alignment: 1)
      copy.copyBytes(from: app.utf8)
      return copy
    }
  }

  deinit {
    defaultApp?.deallocate()
  }

  /// The event a line holds. ``LineParser/paddingBytes`` after it must be readable.
  func decode(_ line: UnsafeRawBufferPointer) throws(Reject) -> EventFields {
    let fields: ParsedFields
    do {
      fields = try parser.parse(line)
    } catch {
      throw LineDiagnosis.reject(for: error, line: line)
    }
    var envelope = try Envelope(fields)
    try envelope.refuseUnknownVersion()
    if !options.isTrusted { try PersonalData.refuse(in: envelope, rules: options.privacy) }
    if envelope.app == nil, let defaultApp {
      envelope.defaultApp = UnsafeRawBufferPointer(defaultApp)
    }
    var event = try envelope.validated()
    event.correctClock(receivedAt: options.now)
    if !options.isTrusted { try event.refuseOutOfRange(now: options.now) }
    return event
  }
}
