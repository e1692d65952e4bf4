internal import Crypto
import FunnelModel

/// Writes events in canonical form: the fields in a fixed order, keys of `props` and `ctx` sorted, times in UTC.
///
/// Equal events have equal bytes, and a canonical record that is read and written again has the same bytes. Not to be shared between
/// threads.
struct CanonicalEncoder: ~Copyable {
  private var buffer = RecordBuffer()
  /// One writer for the times of events, one for the times of sending and receiving: each caches its day.
  private var times = TimestampWriter()
  private var otherTimes = TimestampWriter()

  /// Appends the record of an event, which must have an id, without a line break.
  mutating func append(_ event: UnsafePointer<EventFields>, to bytes: inout [UInt8]) {
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

  /// Returns the id of an event that has none: the first 128 bits of the SHA-256 of all its fields but `sent_at` and `received_at`, in
  /// hexadecimal.
  ///
  /// - Parameter hasOwnSequence: Whether the `seq` is the client's. One that an importer filled says where in a file the event stood.
  ///
  /// The time is that of the device's clock, so that an event that is sent again at another time keeps its id.
  mutating func derivedID(of event: UnsafePointer<EventFields>, hasOwnSequence: Bool) -> [UInt8] {
    buffer.clear(reserving: Self.bytesMax(event))
    appendHead(
      event, timestamp: event.pointee.deviceTimestamp ?? event.pointee.timestamp,
      sequence: hasOwnSequence ? event.pointee.sequence : nil)
    appendTail(event)
    let digest = SHA256.hash(data: buffer.bytes)
    var id: [UInt8] = []
    // 32 digits, and room behind them: whoever hashes the id reads whole words.
    id.reserveCapacity(40)
    for byte in digest.prefix(16) {
      id.append(Hexadecimal.digit(byte >> 4))
      id.append(Hexadecimal.digit(byte & 15))
    }
    return id
  }

  /// Returns an upper bound of the bytes of the event's record.
  private static func bytesMax(_ event: UnsafePointer<EventFields>) -> Int {
    // Field names with their punctuation, four timestamps, and whole numbers.
    var total = 512
    total += RecordBuffer.jsonStringBytesMax(event.pointee.name.count + event.pointee.subject.count + event.pointee.app.count)
    total += RecordBuffer.jsonStringBytesMax((event.pointee.flow?.count ?? 0) + (event.pointee.attempt?.count ?? 0))
    total += RecordBuffer.jsonStringBytesMax((event.pointee.step?.count ?? 0) + (event.pointee.id?.count ?? 0))
    return total + RecordBuffer.objectBytesMax(event.pointee.props) + RecordBuffer.objectBytesMax(event.pointee.context)
  }

  private mutating func appendHead(_ event: UnsafePointer<EventFields>, timestamp: Timestamp, sequence: Int64?) {
    // Names need no escapes: they are lower-case letters, digits and underscores.
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

  private mutating func appendTail(_ event: UnsafePointer<EventFields>) {
    append(event.pointee.props, as: ",\"props\":")
    append(event.pointee.context, as: ",\"ctx\":")
  }

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

  private mutating func append(_ timestamp: Timestamp?, as prefix: StaticString) {
    guard let timestamp else { return }
    buffer.append(prefix)
    otherTimes.append(timestamp, to: &buffer)
    buffer.append(UInt8(ascii: "\""))
  }
}
