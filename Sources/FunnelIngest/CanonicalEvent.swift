internal import Crypto
import FunnelModel

/// Writes events in the log's one form: the fields in a fixed order, keys of `props` and `ctx` sorted, times in UTC.
///
/// Equal events have equal bytes, and a canonical record that is read again gives the same bytes.
struct CanonicalEncoder {
  private var contentBytes: [UInt8] = []
  private var idBytes: [UInt8] = []

  /// Appends the record of an event, without a line break. An event without an id gets one derived from its content.
  mutating func append(_ event: EventFields, to bytes: inout [UInt8]) {
    Self.appendHead(event, timestamp: event.timestamp, to: &bytes)
    bytes.append(text: ",\"id\":")
    if let id = event.id {
      bytes.appendJSONString(utf8: id)
    } else {
      bytes.append(UInt8(ascii: "\""))
      bytes.append(contentsOf: derivedID(of: event))
      bytes.append(UInt8(ascii: "\""))
    }
    Self.appendTail(event, to: &bytes)
    Self.append(event.sentAt, as: ",\"sent_at\":", to: &bytes)
    Self.append(event.receivedAt, as: ",\"received_at\":", to: &bytes)
    Self.append(event.deviceTimestamp, as: ",\"device_ts\":", to: &bytes)
    bytes.append(text: ",\"v\":1}")
  }

  /// The id of an event that has none: the first 128 bits of the SHA-256 of all its fields but `sent_at` and `received_at`, in hexadecimal.
  ///
  /// The time is the device's own, so that an event sent twice, with other times of sending, keeps its id.
  mutating func derivedID(of event: EventFields) -> [UInt8] {
    contentBytes.removeAll(keepingCapacity: true)
    Self.appendHead(event, timestamp: event.deviceTimestamp ?? event.timestamp, to: &contentBytes)
    Self.appendTail(event, to: &contentBytes)
    let digest = contentBytes.withUnsafeBytes { SHA256.hash(data: $0) }
    let digits: StaticString = "0123456789abcdef"
    idBytes.removeAll(keepingCapacity: true)
    for byte in digest.prefix(16) {
      idBytes.append(digits.utf8Start[Int(byte >> 4)])
      idBytes.append(digits.utf8Start[Int(byte & 15)])
    }
    return idBytes
  }

  private static func appendHead(_ event: EventFields, timestamp: Timestamp, to bytes: inout [UInt8]) {
    // Names need no escapes: they are lower-case letters, digits and underscores.
    bytes.append(text: "{\"name\":\"")
    bytes.append(contentsOf: event.name)
    bytes.append(text: "\",\"ts\":\"")
    timestamp.append(to: &bytes)
    bytes.append(text: "\",\"subject\":")
    bytes.appendJSONString(utf8: event.subject)
    bytes.append(text: ",\"app\":\"")
    bytes.append(contentsOf: event.app)
    bytes.append(UInt8(ascii: "\""))
    if let flow = event.flow {
      bytes.append(text: ",\"flow\":\"")
      bytes.append(contentsOf: flow)
      bytes.append(UInt8(ascii: "\""))
    }
    if let flowVersion = event.flowVersion {
      bytes.append(text: ",\"flow_version\":")
      bytes.appendDecimal(flowVersion)
    }
    if let attempt = event.attempt {
      bytes.append(text: ",\"attempt\":")
      bytes.appendJSONString(utf8: attempt)
    }
    if let sequence = event.sequence {
      bytes.append(text: ",\"seq\":")
      bytes.appendDecimal(sequence)
    }
    if let step = event.step {
      bytes.append(text: ",\"step\":\"")
      bytes.append(contentsOf: step)
      bytes.append(UInt8(ascii: "\""))
    }
  }

  private static func appendTail(_ event: EventFields, to bytes: inout [UInt8]) {
    append(event.props, as: ",\"props\":{", to: &bytes)
    append(event.context, as: ",\"ctx\":{", to: &bytes)
  }

  private static func append(
    _ members: EventMembers, as prefix: StaticString, to bytes: inout [UInt8]
  ) {
    guard !members.isEmpty else { return }
    bytes.append(text: prefix)
    for index in members.indices {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.appendJSONString(utf8: members[index].key)
      bytes.append(UInt8(ascii: ":"))
      members[index].value.appendJSON(to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private static func append(_ timestamp: Timestamp?, as prefix: StaticString, to bytes: inout [UInt8]) {
    guard let timestamp else { return }
    bytes.append(text: prefix)
    bytes.append(UInt8(ascii: "\""))
    timestamp.append(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }
}
