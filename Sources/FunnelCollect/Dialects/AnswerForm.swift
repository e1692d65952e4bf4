import FunnelDecoding
import FunnelModel

/// The answer of a dialect to a batch that was taken.
///
/// A refused record never makes a client send the batch again: the record is in a dead letter.
enum AnswerForm {
  case native
  case segment
  case postHog
  /// - Parameter ids: The `uuid` of each event, or `nil` for an event that has none.
  case postHogV1(ids: [String?])
  /// - Parameter byteCount: The size of the batch.
  case amplitude(byteCount: Int)
  case mixpanel
  case mixpanelVerbose
  /// - Parameter ids: The `$insert_id` of each event, or `nil` for an event that has none.
  case mixpanelImport(ids: [String?])
  case snowplow
  case snowplowPixel
  case logs(isProtobuf: Bool)

  /// Returns the answer.
  ///
  /// - Parameters:
  ///   - batch: The events and the refused records.
  ///   - receivedAt: The time at which the server received the batch.
  func answer(to batch: borrowing TranslatedBatch, receivedAt: Timestamp) -> CollectAnswer {
    switch self {
    case .native: Self.native(batch)
    case .segment: .json(200, #"{"success":true}"#)
    case .postHog: .json(200, #"{"status":1}"#)
    case .postHogV1(let ids): Self.postHogV1(batch, ids: ids)
    case .amplitude(let byteCount):
      .json(
        200,
        #"{"code":200,"events_ingested":\#(batch.eventCount),"payload_size_bytes":\#(byteCount),"server_upload_time":\#(receivedAt.milliseconds)}"#
      )
    case .mixpanel: .text("1")
    case .mixpanelVerbose: .json(200, #"{"status":1,"error":null}"#)
    case .mixpanelImport(let ids): Self.mixpanelImport(batch, ids: ids)
    case .snowplow: .text("ok")
    case .snowplowPixel: CollectAnswer(200, type: "image/gif", Self.pixel)
    case .logs(let isProtobuf): Self.logs(batch, isProtobuf: isProtobuf)
    }
  }

  private static func native(_ batch: borrowing TranslatedBatch) -> CollectAnswer {
    let rejected = batch.refused.map { #"{"line":\#($0.record + 1),"reason":"\#($0.reason.rawValue)"}"# }
    return .json(200, #"{"accepted":\#(batch.eventCount),"rejected":[\#(rejected.joined(separator: ","))]}"# + "\n")
  }

  /// Names the result of each event that has a `uuid`. A client takes an answer without results for a lost batch.
  private static func postHogV1(_ batch: borrowing TranslatedBatch, ids: [String?]) -> CollectAnswer {
    var reasons: [Int: RejectionReason] = [:]
    for refused in batch.refused { reasons[refused.record] = refused.reason }
    var named: Set<String> = []
    var body = Array(#"{"results":{"#.utf8)
    for (record, id) in ids.enumerated() {
      guard let id, named.insert(id).inserted else { continue }
      if named.count > 1 { body.append(UInt8(ascii: ",")) }
      body.appendJSONString(id)
      let result =
        reasons[record].map { #":{"result":"drop","details":"\#($0.rawValue)"}"# } ?? #":{"result":"ok"}"#
      body += Array(result.utf8)
    }
    return CollectAnswer(200, type: "application/json", body + Array("}}".utf8))
  }

  private static func mixpanelImport(_ batch: borrowing TranslatedBatch, ids: [String?]) -> CollectAnswer {
    var body = Array(#"{"code":200,"num_records_imported":\#(batch.eventCount),"status":"OK""#.utf8)
    if !batch.refused.isEmpty { body += Array(#","failed_records":["#.utf8) }
    for (index, refused) in batch.refused.enumerated() {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      body += Array(#"{"index":\#(refused.record),"insert_id":"#.utf8)
      body.appendJSONString(ids[refused.record] ?? "")
      body += Array(#","field":"properties","message":"\#(refused.reason.rawValue)"}"#.utf8)
    }
    if !batch.refused.isEmpty { body.append(UInt8(ascii: "]")) }
    return CollectAnswer(200, type: "application/json", body + [UInt8(ascii: "}")])
  }

  /// Returns an ExportLogsServiceResponse, which names the refused records as a partial success.
  private static func logs(_ batch: borrowing TranslatedBatch, isProtobuf: Bool) -> CollectAnswer {
    let count = batch.refused.count
    let message = Set(batch.refused.map(\.reason.rawValue)).sorted().joined(separator: ", ")
    guard isProtobuf else {
      let partial =
        #"{"partialSuccess":{"rejectedLogRecords":"\#(count)","errorMessage":"\#(message)"}}"#
      return .json(200, count == 0 ? "{}" : partial)
    }
    guard count > 0 else { return CollectAnswer(200, type: ProtobufMessage.contentType, []) }
    let partial = ProtobufMessage.number(UInt64(count), field: 1) + ProtobufMessage.bytes(Array(message.utf8), field: 2)
    return CollectAnswer(200, type: ProtobufMessage.contentType, ProtobufMessage.bytes(partial, field: 1))
  }

  /// A transparent GIF of one pixel.
  private static let pixel: [UInt8] = [
    0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 0x01, 0x00, 0x01, 0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0x21,
    0xF9,
    0x04, 0x01, 0x00, 0x00, 0x00, 0x00, 0x2C, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x00, 0x02, 0x02, 0x44, 0x01,
    0x00,
    0x3B,
  ]
}

/// Writes fields in the wire format of Protocol Buffers.
enum ProtobufMessage {
  static let contentType = "application/x-protobuf"

  /// Returns a number of variable length, with its tag.
  static func number(_ number: UInt64, field: UInt64) -> [UInt8] { variable(field << 3) + variable(number) }

  /// Returns a text or a message, with its tag.
  static func bytes(_ bytes: [UInt8], field: UInt64) -> [UInt8] {
    variable(field << 3 | 2) + variable(UInt64(bytes.count)) + bytes
  }

  private static func variable(_ number: UInt64) -> [UInt8] {
    var number = number
    var bytes: [UInt8] = []
    while number >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: number) | 0x80)
      number >>= 7
    }
    return bytes + [UInt8(number)]
  }
}
