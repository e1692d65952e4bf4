internal import Crypto
import FunnelModel

/// Writes events as JSON in canonical form: the fields in a fixed order, the keys of `props` and `ctx` sorted,
/// times in UTC.
///
/// Equal events have equal bytes. Decoding and encoding a canonical record again returns the same bytes. Not
/// thread-safe: each worker owns one.
package struct CanonicalEncoder: ~Copyable {
  private var buffer = RecordBuffer()
  /// Writes the times of events. Like ``otherTimes``, it caches a date.
  private var times = TimestampWriter()
  /// Writes the times of sending and receiving, and of the device's clock, which are often on another day.
  private var otherTimes = TimestampWriter()

  /// Appends the record of an event, without a line break. The event must have an ID.
  package mutating func append(_ event: UnsafePointer<EventFields>, to bytes: inout [UInt8]) {
    assert(event.pointee.id != nil, "the event has no ID")
    buffer.clear(reserving: Self.bytesMax(event))
    appendHead(event, timestamp: event.pointee.timestamp, sequence: event.pointee.sequence)
    buffer.append(",\"id\":")
    if let id = event.pointee.id { buffer.appendJSONString(id) }
    appendTail(event)
    append(event.pointee.sentAt, as: ",\"sent_at\":\"")
    append(event.pointee.receivedAt, as: ",\"received_at\":\"")
    append(event.pointee.deviceTimestamp, as: ",\"device_ts\":\"")
    buffer.append(",\"v\":1}")
    bytes.append(contentsOf: buffer.bytes)
  }

  /// Returns an ID for an event that has none: 32 hexadecimal digits of a SHA-256 hash of its fields except
  /// `sent_at` and `received_at`.
  ///
  /// - Parameter hasOwnSequence: Whether the `seq` is the client's. Otherwise it is the position in a file,
  ///   which the hash excludes.
  mutating func derivedID(of event: UnsafePointer<EventFields>, hasOwnSequence: Bool) -> [UInt8] {
    buffer.clear(reserving: Self.bytesMax(event))
    // The device's time does not depend on the time of sending, so an event that is sent twice has the same ID.
    appendHead(
      event, timestamp: event.pointee.deviceTimestamp ?? event.pointee.timestamp,
      sequence: hasOwnSequence ? event.pointee.sequence : nil)
    appendTail(event)
    let digest = SHA256.hash(data: buffer.bytes)
    var id: [UInt8] = []
    // 32 digits, and room for the padding that the caller appends.
    id.reserveCapacity(40)
    for byte in digest.prefix(16) {
      id.append(Hexadecimal.digit(byte >> 4))
      id.append(Hexadecimal.digit(byte & 15))
    }
    return id
  }

  /// Returns an upper bound of the bytes of the event's record.
  private static func bytesMax(_ event: UnsafePointer<EventFields>) -> Int {
    var total = fixedBytesMax
    total += RecordBuffer.jsonStringBytesMax(event.pointee.name.count + event.pointee.subject.count + event.pointee.app.count)
    total += RecordBuffer.jsonStringBytesMax((event.pointee.flow?.count ?? 0) + (event.pointee.attempt?.count ?? 0))
    total += RecordBuffer.jsonStringBytesMax((event.pointee.step?.count ?? 0) + (event.pointee.id?.count ?? 0))
    return total + RecordBuffer.objectBytesMax(event.pointee.props) + RecordBuffer.objectBytesMax(event.pointee.context)
  }

  /// An upper bound of the bytes of field names, punctuation, four timestamps and whole numbers.
  private static let fixedBytesMax = 512

  /// Appends the fields before the ID.
  private mutating func appendHead(_ event: UnsafePointer<EventFields>, timestamp: Timestamp, sequence: Int64?) {
    // Names need no escapes: they consist of lowercase letters, digits and underscores.
    buffer.append("{\"name\":\"")
    buffer.append(event.pointee.name)
    buffer.append("\",\"ts\":\"")
    times.append(timestamp, to: &buffer)
    buffer.append("\",\"subject\":")
    buffer.appendJSONString(event.pointee.subject)
    buffer.append(",\"app\":\"")
    buffer.append(event.pointee.app)
    buffer.append(UInt8(ascii: "\""))
    if let flow = event.pointee.flow {
      buffer.append(",\"flow\":\"")
      buffer.append(flow)
      buffer.append(UInt8(ascii: "\""))
    }
    if let flowVersion = event.pointee.flowVersion {
      buffer.append(",\"flow_version\":")
      buffer.appendDecimal(flowVersion)
    }
    if let attempt = event.pointee.attempt {
      buffer.append(",\"attempt\":")
      buffer.appendJSONString(attempt)
    }
    if let sequence {
      buffer.append(",\"seq\":")
      buffer.appendDecimal(sequence)
    }
    if let step = event.pointee.step {
      buffer.append(",\"step\":\"")
      buffer.append(step)
      buffer.append(UInt8(ascii: "\""))
    }
  }

  /// Appends `props` and `ctx`.
  private mutating func appendTail(_ event: UnsafePointer<EventFields>) {
    append(event.pointee.props, as: ",\"props\":")
    append(event.pointee.context, as: ",\"ctx\":")
  }

  /// Appends members unless there are none. The prefix is the key with its punctuation.
  @inline(__always)
  private mutating func append(_ members: EventMembers, as prefix: StaticString) {
    guard members.count > 0 else { return }
    buffer.append(prefix)
    if let known = members.known {
      buffer.append(UnsafeRawBufferPointer(start: known.pointee.canonical, count: Int(known.pointee.canonicalCount)))
    } else {
      buffer.appendObject(members)
    }
  }

  /// Appends a time unless it is `nil`. The prefix is the key with its punctuation and the opening quote.
  private mutating func append(_ timestamp: Timestamp?, as prefix: StaticString) {
    guard let timestamp else { return }
    buffer.append(prefix)
    otherTimes.append(timestamp, to: &buffer)
    buffer.append(UInt8(ascii: "\""))
  }
}
