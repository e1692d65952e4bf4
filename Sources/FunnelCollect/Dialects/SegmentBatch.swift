import FunnelModel

// Segment's and RudderStack's clients.
extension BatchReader {
  private static let unknownKey = "invalid write key"

  /// Reads a batch.
  ///
  /// - Parameter sentAgeMax: The largest age in milliseconds of a time of sending by which the clock is corrected.
  func readSegment(sentAgeMax: Int64) throws(CollectRefusal) -> Result {
    let body = try BodyText(request.body.span)
    let access = try authorized([body.string("writeKey")], message: Self.unknownKey)
    guard let records = try body.elements("batch") else { throw .notABatch("the body has no array named batch") }
    var batch = ReceivedBatch(.segment, .segment, RecordLines(of: request.body), answer: .segment)
    batch.sentAgeMax = sentAgeMax
    let members = members(["sentAt"], of: body).bytes
    for record in records { batch.records.append(record, adding: members) }
    return (batch, access)
  }

  /// Reads a single call.
  func readSegment(_ call: SegmentCall) throws(CollectRefusal) -> Result {
    let body = try BodyText(request.body.span)
    guard case .object = body.outline.root else { throw .notABatch("the body is not an object") }
    let access = try authorized([body.string("writeKey")])
    var batch = ReceivedBatch(.segment, .segment, RecordLines(of: request.body), answer: .segment)
    // The path tells the type of the call. The record may too.
    let type = body.value("type") == nil ? Array(#""type":"\#(call.rawValue)","#.utf8) : []
    batch.records.append(body.outline.range, adding: type)
    return (batch, access)
  }
}
