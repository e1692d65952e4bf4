import Foundation
import FunnelDecoding
import FunnelModel

/// Reads the batch of a request: where its records are, and the key that its client shows.
struct BatchReader {
  let request: CollectRequest
  /// Inflates the gzip data in a body.
  let inflate: (_ gzip: [UInt8]) throws(CollectRefusal) -> [UInt8]
  /// Returns the app of a key, or `nil` if the key is unknown.
  let app: (_ key: String) -> String?

  /// A known key, and its app.
  struct Access {
    let key: String
    let app: String
  }

  /// A batch and the key that its client showed.
  typealias Result = (batch: ReceivedBatch, access: Access)

  /// Reads the batch of a request to a path.
  ///
  /// - Throws: A refusal if the body is no batch or the key is unknown.
  func read(_ endpoint: EventEndpoint) throws(CollectRefusal) -> Result {
    switch endpoint {
    case .native: try readNative()
    case .segmentFile: try readSegment(sentAgeMax: Self.fileSentAgeMax)
    case .segmentBatch: try readSegment(sentAgeMax: BatchReceipt.differenceMillisecondsMax)
    case .segmentCall(let call): try readSegment(call)
    case .postHogOrAmplitude: try readPostHogOrAmplitude()
    case .postHog: try readPostHog()
    case .postHogV1: try readPostHogV1()
    case .amplitude: try readAmplitude()
    case .mixpanelTrack: try readMixpanel(isImport: false)
    case .mixpanelImport: try readMixpanel(isImport: true)
    case .snowplow: try readSnowplow()
    case .snowplowQuery: try readSnowplowQuery()
    case .otlpLogs: try readLogs()
    }
  }

  /// Segment's clients for phones write the time of sending once, when they close a file. One that is older waited for a
  /// network, and would move the events.
  private static let fileSentAgeMax: Int64 = 60_000

  /// Returns the first known key: of those in the headers, then of those in the body.
  ///
  /// - Throws: A refusal if no key is known.
  func authorized(
    _ keys: [String?] = [], message: String = "unknown API key"
  ) throws(CollectRefusal) -> Access {
    for key in headerKeys + keys.compactMap(\.self) {
      if let app = app(key) { return Access(key: key, app: app) }
    }
    throw CollectRefusal(401, message)
  }

  /// The keys in the headers of the request, which have priority over those in its body.
  var headerKeys: [String] {
    request.headers.compactMap { name, value in
      guard name == "authorization" else { return nil }
      let parts = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      guard parts.count == 2 else { return nil }
      switch parts[0].lowercased() {
      case "bearer": return parts[1].trimmingCharacters(in: .whitespaces)
      case "basic":
        guard let data = Data(base64Encoded: String(parts[1])) else { return nil }
        return String(decoding: data.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
      default: return nil
      }
    }
  }

  /// Returns the members that the batch adds to each of its records: the time of receipt, and others of the body.
  func members(_ keys: [String], of body: borrowing BodyText) -> BatchMembers {
    var members = BatchMembers()
    members.add("received_at", request.receivedAt)
    for key in keys {
      guard let value = body.value(key), let node = body.node(in: value), node.string != nil || node.integer != nil else {
        continue
      }
      members.add(key, value, of: body.text)
    }
    return members
  }

  /// Returns the body of a form's parameter `data`, which is JSON or base64 of it, and the form's other parameters; or the body
  /// itself if it is no form.
  func formBody(_ body: [UInt8]) throws(CollectRefusal) -> (data: [UInt8], parameters: [(name: String, value: String?)]) {
    let type = request.header("content-type")?.lowercased() ?? ""
    guard type.hasPrefix("application/x-www-form-urlencoded") || body.starts(with: Array("data=".utf8)) else {
      return (body, [])
    }
    guard let text = String(validUTF8: body), let parameters = URLText.parameters(text),
      let data = parameters.first(where: { $0.name == "data" })?.value
    else { throw .notABatch("the form has no data") }
    return (try Self.decoded(data), parameters)
  }

  /// Decodes the text of a parameter: JSON as it is, or base64.
  static func decoded(_ text: String) throws(CollectRefusal) -> [UInt8] {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if trimmed.hasPrefix("{") || trimmed.hasPrefix("[") { return Array(trimmed.utf8) }
    // A plus sign that a client did not escape has become a blank.
    guard let data = Self.base64(trimmed.replacingOccurrences(of: " ", with: "+")) else {
      throw .notABatch("the data is neither JSON nor base64")
    }
    return data
  }

  /// Decodes base64, also in the alphabet for addresses and without padding. Returns `nil` if the text is neither.
  static func base64(_ text: String) -> [UInt8]? {
    var text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    while text.hasSuffix("=") { text.removeLast() }
    text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    return Data(base64Encoded: text).map(Array.init)
  }
}

extension BatchReader {
  /// Reads native events, one a line.
  private func readNative() throws(CollectRefusal) -> Result {
    let access = try authorized()
    var lines = request.body
    if lines.starts(with: [0xEF, 0xBB, 0xBF]) { lines.removeFirst(3) }
    var batch = ReceivedBatch(.native, .native, try RecordLines(lines: lines), answer: .native)
    batch.sentAt = request.header("funnel-sent-at").flatMap { Self.time($0) }
    return (batch, access)
  }

  /// Returns the time of a text: RFC 3339, or milliseconds since 1970. `nil` if it is neither.
  static func time(_ text: String) -> Timestamp? {
    Int64(text).map(Timestamp.init(milliseconds:)) ?? Timestamp(rfc3339: text)
  }
}
