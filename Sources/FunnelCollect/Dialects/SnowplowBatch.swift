import FunnelModel

// Snowplow's trackers.
extension BatchReader {
  /// Reads a list of payloads, or one payload.
  func readSnowplow() throws(CollectRefusal) -> Result {
    let body = try BodyText(request.body.span)
    guard case .object = body.outline.root else { throw .notABatch("the body is not an object") }
    // A tracker sends an event that is too large for a list alone.
    let isList = body.value("data") != nil
    if isList, try body.elements("data") == nil { throw .notABatch("data is not an array") }
    let records = try body.elements("data") ?? [body.outline.range]
    var batch = ReceivedBatch(.snowplow, .snowplow, RecordLines(of: request.body), answer: .snowplow)
    // Snowplow's tracker for Python cuts `stm`.
    batch.isSentAtCut = true
    let access = try authorized([records.first.flatMap { BodyText.string("aid", in: $0, of: body.text) }])
    for record in records {
      if let payload = body.node(in: record), let members = payload.object {
        batch.records.append(line: SnowplowPayload(members).enriched)
      } else {
        batch.records.append(record)
      }
    }
    return (batch, access)
  }

  /// Reads the payload in the query.
  func readSnowplowQuery() throws(CollectRefusal) -> Result {
    let access = try authorized([request.parameter("aid")])
    var values: [String: String] = [:]
    for (name, value) in request.query where values[name] == nil { values[name] = value ?? "" }
    var batch = ReceivedBatch(.snowplow, .snowplow, RecordLines(of: []), answer: .snowplowPixel)
    batch.isSentAtCut = true
    batch.records.append(line: SnowplowPayload(values: values).enriched)
    return (batch, access)
  }
}

/// The fields of one event by Snowplow's tracker protocol.
struct SnowplowPayload {
  /// The texts of the fields. Numbers are taken as texts.
  private let values: [String: String]

  init(values: [String: String]) { self.values = values }

  /// Creates a payload of a JSON object.
  init(_ members: [JSONDocument.Member]) {
    var values: [String: String] = [:]
    for member in members where values[member.key] == nil {
      switch member.node.value {
      case .string(let text): values[member.key] = text
      case .number(let text): values[member.key] = text
      case .null, .bool, .array, .object: break
      }
    }
    self.values = values
  }

  /// The event as one line of JSON in the shape of Snowplow's enriched events.
  ///
  /// Encoded data is written out, so that personal data in it can be found.
  var enriched: [UInt8] {
    var line: [UInt8] = [UInt8(ascii: "{")]
    func append(_ key: String, _ value: [UInt8]) {
      if line.count > 1 { line.append(UInt8(ascii: ",")) }
      line.appendJSONString(key)
      line.append(UInt8(ascii: ":"))
      line += value
    }
    func append(_ key: String, text: String?) {
      guard let text, !text.isEmpty else { return }
      var value: [UInt8] = []
      value.appendJSONString(text)
      append(key, value)
    }
    append("event", text: values["e"].flatMap { Self.types[$0] })
    for (field, key) in Self.keys { append(key, text: values[field]) }
    if let data = data("ue_px", "ue_pr") { append("unstruct_event", data) }
    if let data = data("cx", "co") { append("contexts", data) }
    line.append(UInt8(ascii: "}"))
    return line
  }

  /// Returns the JSON of a field that is encoded or not, or `nil` if there is none. A text that is no JSON stays a text.
  private func data(_ encoded: String, _ plain: String) -> [UInt8]? {
    guard let text = values[encoded].flatMap(BatchReader.base64) ?? values[plain].map({ Array($0.utf8) }) else { return nil }
    if let document = try? JSONDocument(parsing: text) { return document.root.json }
    var value: [UInt8] = []
    value.appendJSONString(String(decoding: text, as: UTF8.self))
    return value
  }

  /// The types of events by their codes. Events of other types are refused.
  private static let types = ["ue": "unstruct", "se": "struct", "pv": "page_view", "pp": "page_ping"]

  /// The keys of enriched events by the fields of the tracker protocol.
  private static let keys: [(field: String, key: String)] = [
    ("eid", "event_id"), ("uid", "user_id"), ("duid", "domain_userid"), ("tnuid", "network_userid"), ("ttm", "true_tstamp"),
    ("dtm", "dvce_created_tstamp"), ("stm", "dvce_sent_tstamp"), ("lang", "br_lang"), ("se_ca", "se_category"),
    ("se_ac", "se_action"), ("se_la", "se_label"), ("se_pr", "se_property"), ("se_va", "se_value"), ("page", "page_title"),
    ("url", "page_url"), ("refr", "page_referrer"),
  ]
}

extension JSONDocument.Node {
  /// The value as JSON on one line.
  var json: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  private func append(to bytes: inout [UInt8]) {
    switch value {
    case .null: bytes += Array("null".utf8)
    case .bool(let flag): bytes += Array((flag ? "true" : "false").utf8)
    case .number(let text): bytes += Array(text.utf8)
    case .string(let text): bytes.appendJSONString(text)
    case .array(let nodes):
      bytes.append(UInt8(ascii: "["))
      for (index, node) in nodes.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        node.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes.appendJSONString(member.key)
        bytes.append(UInt8(ascii: ":"))
        member.node.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}
