internal import Crypto
import FunnelModel

/// Writes events as JSON in canonical form: the fields in a fixed order, the keys of `props` and `ctx` sorted,
/// times in UTC.
///
/// Equal events have equal bytes. Decoding and encoding a canonical record again returns the same bytes. Not
/// thread-safe: each worker owns one.
package struct CanonicalEncoder: ~Copyable {
  private var buffer = RecordBuffer()
  private var derivedID = RecordBuffer()
  /// Writes the times of events. Like ``otherTimes``, it caches a date.
  private var times = TimestampWriter()
  /// Writes the times of sending and receiving, and of the device's clock, which are often on another day.
  private var otherTimes = TimestampWriter()

  /// Appends the record of an event, without a line break. The event must have an ID.
  package mutating func append(_ event: EventReference, to bytes: inout [UInt8]) {
    append(
      event, timestamp: event.fields.timestamp, sentAt: event.fields.sentAt, deviceTimestamp: event.fields.deviceTimestamp,
      to: &bytes)
  }

  /// Appends the line of an event that a server received, without a line break. The event must have an ID.
  ///
  /// The line has the device's time, because an ingest corrects it. A stale time of sending is left out.
  package mutating func appendReceived(_ event: EventReference, to bytes: inout [UInt8]) {
    append(
      event, timestamp: event.fields.deviceTimestamp ?? event.fields.timestamp,
      sentAt: event.fields.hasStaleSendingTime ? nil : event.fields.sentAt, deviceTimestamp: nil, to: &bytes)
  }

  /// Appends the record of an event with some of its times.
  private mutating func append(
    _ event: EventReference, timestamp: Timestamp, sentAt: Timestamp?, deviceTimestamp: Timestamp?, to bytes: inout [UInt8]
  ) {
    guard let id = event.fields.id else { preconditionFailure("the event has no ID") }
    buffer.clear(reserving: Self.bytesMax(event))
    appendHead(event, timestamp: timestamp, sequence: event.fields.sequence)
    buffer.append(",\"id\":")
    buffer.appendJSONString(id.span.bytes)
    appendTail(event)
    append(sentAt, as: ",\"sent_at\":\"")
    append(event.fields.receivedAt, as: ",\"received_at\":\"")
    append(deviceTimestamp, as: ",\"device_ts\":\"")
    buffer.append(",\"v\":1}")
    bytes.append(contentsOf: buffer.text.raw)
  }

  /// Returns an ID for an event that has none: 32 hexadecimal digits of a SHA-256 hash of its fields except
  /// `sent_at` and `received_at`.
  ///
  /// - Parameter hasOwnSequence: Whether the `seq` is the client's. Otherwise it is the position in a file,
  ///   which the hash excludes.
  /// - Returns: The ID, valid until the next one is derived.
  mutating func derivedID(of event: EventReference, hasOwnSequence: Bool) -> PaddedText {
    buffer.clear(reserving: Self.bytesMax(event))
    // The device's time does not depend on the time of sending, so an event that is sent twice has the same ID.
    appendHead(
      event, timestamp: event.fields.deviceTimestamp ?? event.fields.timestamp,
      sequence: hasOwnSequence ? event.fields.sequence : nil)
    appendTail(event)
    let digest = SHA256.hash(data: buffer.text.raw)
    derivedID.clear(reserving: 2 * Self.derivedIDHashBytes)
    for byte in digest.prefix(Self.derivedIDHashBytes) {
      derivedID.append(Hexadecimal.digit(byte >> 4))
      derivedID.append(Hexadecimal.digit(byte & 15))
    }
    return derivedID.text
  }

  /// The number of bytes of the hash in a derived ID.
  private static let derivedIDHashBytes = 16

  /// Returns an upper bound of the bytes of the event's record.
  private static func bytesMax(_ event: EventReference) -> Int {
    var total = fixedBytesMax
    total += RecordBuffer.jsonStringBytesMax(event.fields.name.count + event.fields.subject.count + event.fields.app.count)
    total += RecordBuffer.jsonStringBytesMax((event.fields.flow?.count ?? 0) + (event.fields.attempt?.count ?? 0))
    total += RecordBuffer.jsonStringBytesMax((event.fields.step?.count ?? 0) + (event.fields.id?.count ?? 0))
    total += RecordBuffer.jsonStringBytesMax(event.fields.user?.count ?? 0)
    return total + RecordBuffer.objectBytesMax(event.fields.props) + RecordBuffer.objectBytesMax(event.fields.context)
  }

  /// An upper bound of the bytes of field names, punctuation, four timestamps and whole numbers.
  private static let fixedBytesMax = 512

  /// Appends the fields before the ID.
  private mutating func appendHead(_ event: EventReference, timestamp: Timestamp, sequence: Int64?) {
    // Names need no escapes: they consist of lowercase letters, digits and underscores.
    buffer.append("{\"name\":\"")
    buffer.append(event.fields.name.span.bytes)
    buffer.append("\",\"ts\":\"")
    times.append(timestamp, to: &buffer)
    buffer.append("\",\"subject\":")
    buffer.appendJSONString(event.fields.subject.span.bytes)
    if let user = event.fields.user {
      buffer.append(",\"user\":")
      buffer.appendJSONString(user.span.bytes)
    }
    buffer.append(",\"app\":\"")
    buffer.append(event.fields.app.span.bytes)
    buffer.append(UInt8(ascii: "\""))
    if let flow = event.fields.flow {
      buffer.append(",\"flow\":\"")
      buffer.append(flow.span.bytes)
      buffer.append(UInt8(ascii: "\""))
    }
    if let flowVersion = event.fields.flowVersion {
      buffer.append(",\"flow_version\":")
      buffer.appendDecimal(flowVersion)
    }
    if let attempt = event.fields.attempt {
      buffer.append(",\"attempt\":")
      buffer.appendJSONString(attempt.span.bytes)
    }
    if let sequence {
      buffer.append(",\"seq\":")
      buffer.appendDecimal(sequence)
    }
    if let step = event.fields.step {
      buffer.append(",\"step\":\"")
      buffer.append(step.span.bytes)
      buffer.append(UInt8(ascii: "\""))
    }
  }

  /// Appends `props` and `ctx`.
  private mutating func appendTail(_ event: EventReference) {
    append(event.fields.props, as: ",\"props\":")
    append(event.fields.context, as: ",\"ctx\":")
  }

  /// Appends members unless there are none. The prefix is the key with its punctuation.
  @inline(__always)
  private mutating func append(_ members: EventMembers, as prefix: StaticString) {
    guard members.count > 0 else { return }
    buffer.append(prefix)
    if let known = members.known {
      buffer.append(known.value.canonical.raw.bytes)
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
