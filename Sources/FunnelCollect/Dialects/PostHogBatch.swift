import FunnelModel

// PostHog's clients.
extension BatchReader {
  private static let gzipMagic: [UInt8] = [0x1F, 0x8B]

  /// Reads a batch, an array of events or one event.
  func readPostHog() throws(CollectRefusal) -> Result {
    var text = request.body
    if !text.starts(with: Self.gzipMagic) { text = try formBody(text).data }
    // The client for browsers compresses without saying so.
    if text.starts(with: Self.gzipMagic) { text = try inflate(text) }
    return try readPostHog(text, BodyText(text.span))
  }

  /// Reads a batch whose path is also that of Amplitude.
  func readPostHogOrAmplitude() throws(CollectRefusal) -> Result {
    let isJSON = !request.body.starts(with: Self.gzipMagic) && !request.body.starts(with: Array("data=".utf8))
    guard isJSON else { return try readPostHog() }
    let body = try BodyText(request.body.span)
    return body.value("events") == nil || body.value("batch") != nil
      ? try readPostHog(request.body, body) : try readAmplitude(body)
  }

  private func readPostHog(_ text: [UInt8], _ body: borrowing BodyText) throws(CollectRefusal) -> Result {
    let records: [Range<Int>]
    var keys: [String?] = []
    switch body.outline.root {
    case .object:
      keys = [body.string("api_key"), body.string("token")]
      records = try body.elements("batch") ?? [body.outline.range]
    case .array(let elements):
      guard elements.count <= RecordLines.countMax else { throw .tooManyRecords }
      records = elements
    case .scalar: throw .notABatch("the body is neither an object nor an array")
    }
    if let first = records.first {
      keys += [
        BodyText.string("api_key", in: first, of: body.text), BodyText.string("token", in: first, of: body.text),
        BodyText.string("properties", "token", in: first, of: body.text),
      ]
    }
    let access = try authorized(keys)
    if body.value("batch") != nil, try body.elements("batch") == nil { throw .notABatch("batch is not an array") }
    let isMigration = body.node("historical_migration")?.bool ?? false
    let queryTime = request.parameter("_").flatMap { Self.time($0) }
    var members = self.members(isMigration ? [] : ["sent_at"], of: body)
    if !isMigration, body.string("sent_at") == nil, let queryTime { members.add("sent_at", queryTime) }
    var batch = ReceivedBatch(.posthog, .posthog, RecordLines(of: text), answer: .postHog)
    let common = members.bytes
    for record in records {
      guard let offset = offset(of: record, in: body) else {
        batch.records.append(record, adding: common)
        continue
      }
      var own = members
      let time = (queryTime ?? request.receivedAt).milliseconds.subtractingReportingOverflow(offset)
      if !time.overflow { own.add("time", Timestamp(milliseconds: time.partialValue)) }
      batch.records.append(record, adding: own.bytes)
    }
    return (batch, access)
  }

  /// Returns the milliseconds from an event to its sending, which clients for browsers write instead of a time. `nil` if the event
  /// has a time.
  private func offset(of record: Range<Int>, in body: borrowing BodyText) -> Int64? {
    guard let outline = JSONOutline(body.text, in: record), outline.value("timestamp", in: body.text) == nil else { return nil }
    return outline.value("offset", in: body.text).flatMap { body.node(in: $0)?.integer } ?? 0
  }

  /// Reads a batch of the newer interface.
  func readPostHogV1() throws(CollectRefusal) -> Result {
    let access = try authorized()
    let body = try BodyText(request.body.span)
    guard let records = try body.elements("batch") else { throw .notABatch("the body has no array named batch") }
    var members = members([], of: body)
    if let sentAt = request.header("posthog-request-timestamp").flatMap({ Self.time($0) }) { members.add("sent_at", sentAt) }
    let ids = records.map { body.node(in: $0)?["uuid"]?.string }
    var batch = ReceivedBatch(.posthog, .posthog, RecordLines(of: request.body), answer: .postHogV1(ids: ids))
    let common = members.bytes
    for record in records { batch.records.append(record, adding: common) }
    return (batch, access)
  }
}
