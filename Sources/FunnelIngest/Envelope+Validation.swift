import FunnelModel

extension Envelope {
  /// The event, if every field is there that must be and is what it must be.
  consuming func validated() throws(Reject) -> EventFields {
    try refuseMissing()
    var event = EventFields()
    event.name = try Self.name("name", name!)
    event.app = try app.map { field throws(Reject) in try Self.name("app", field) } ?? defaultApp!
    event.flow = try flow.map { field throws(Reject) in try Self.name("flow", field) }
    event.step = try step.map { field throws(Reject) in try Self.name("step", field) }
    event.subject = try Self.identifier("subject", subject!, isEmptyAllowed: false)
    guard !event.subject.hasControlCharacter else {
      throw Reject(.invalidField, "subject holds a control character")
    }
    event.attempt = try attempt.map { field throws(Reject) in try Self.identifier("attempt", field, isEmptyAllowed: true) }
    event.id = try id.map { field throws(Reject) in try Self.identifier("id", field, isEmptyAllowed: false) }
    event.flowVersion = try flowVersion.map { field throws(Reject) in try Self.integer("flow_version", field, atLeast: 1) }
    event.sequence = try sequence.map { field throws(Reject) in try Self.integer("seq", field, atLeast: 0) }
    event.sentAt = try sentAt.map { field throws(Reject) in try Self.timestamp("sent_at", field) }
    event.receivedAt = try receivedAt.map { field throws(Reject) in try Self.timestamp("received_at", field) }
    event.deviceTimestamp = try deviceTimestamp.map { field throws(Reject) in try Self.timestamp("device_ts", field) }
    event.timestamp = try Self.timestamp("ts", timestamp!)
    event.context = try Self.members("ctx", context)
    event.props = try properties()
    return event
  }

  private func refuseMissing() throws(Reject) {
    if name == nil { throw Reject(.missingField, "name is missing: every event has one") }
    if timestamp == nil { throw Reject(.missingField, "ts is missing: when did it happen?") }
    if subject == nil { throw Reject(.missingField, "subject is missing: a pseudonymous install or user id") }
    if app == nil, defaultApp == nil { throw Reject(.missingField, "app is missing: add it, or give --app") }
    if step == nil, case .string(let text) = name?.scalar, text.starts(with: "step_".utf8) {
      throw Reject(.missingField, "step is missing: \(text.isName ? text.text : "a step event") needs a step id")
    }
  }

  /// The properties: those of `props`, and scalars the envelope does not know. Where both have a key, that of `props` stays.
  private func properties() throws(Reject) -> [(key: UnsafeRawBufferPointer, value: Scalar)] {
    var result = try Self.members("props", props)
    guard !unknown.isEmpty else { return result }
    for field in unknown {
      guard let value = field.scalar else {
        throw Reject(
          .invalidField, "\(field.key.shown) is \(field.kindName) and no field of the envelope; put scalars under props")
      }
      if !result.contains(where: { $0.key.elementsEqual(field.key) }) { result.append((field.key, value)) }
    }
    // The record is read again and again, and held to the limit each time.
    guard result.count <= Limits.objectKeysMax else { throw LineDiagnosis.reject(for: .tooManyKeys) }
    result.sort { $0.key.precedes($1.key) }
    return result
  }

  /// The members of `props` or `ctx`, sorted by key, so that equal content has equal bytes.
  private static func members(
    _ name: String, _ object: (field: ParsedField, members: [ParsedField])?
  ) throws(Reject) -> [(key: UnsafeRawBufferPointer, value: Scalar)] {
    guard let object else { return [] }
    guard object.field.isObject else {
      throw Reject(.invalidField, "\(name) is \(object.field.kindName); it must be an object")
    }
    var result: [(key: UnsafeRawBufferPointer, value: Scalar)] = []
    result.reserveCapacity(object.members.count)
    for member in object.members {
      guard let value = member.scalar else {
        throw Reject(
          .invalidField, "\(name).\(member.key.shown) is \(member.kindName); it must be a string, a number, a boolean or null")
      }
      result.append((member.key, value))
    }
    result.sort { $0.key.precedes($1.key) }
    return result
  }

  private static func name(_ field: String, _ value: ParsedField) throws(Reject) -> UnsafeRawBufferPointer {
    let text = try string(field, value)
    guard text.isName else {
      throw Reject(
        .invalidField,
        "\(field) must be a lower-case letter and then up to \(Limits.nameBytesMax - 1) lower-case letters, digits and underscores"
      )
    }
    return text
  }

  private static func identifier(
    _ field: String, _ value: ParsedField, isEmptyAllowed: Bool
  ) throws(Reject) -> UnsafeRawBufferPointer {
    let text = try string(field, value)
    guard isEmptyAllowed || !text.isEmpty else { throw Reject(.invalidField, "\(field) is empty") }
    guard text.count <= Limits.identifierBytesMax else {
      throw Reject(.invalidField, "\(field) has \(text.count) bytes; \(Limits.identifierBytesMax) are allowed")
    }
    return text
  }

  private static func string(_ field: String, _ value: ParsedField) throws(Reject) -> UnsafeRawBufferPointer {
    guard case .string(let text) = value.scalar else {
      throw Reject(.invalidField, "\(field) is \(value.kindName); it must be a string")
    }
    return text
  }

  private static func integer(_ field: String, _ value: ParsedField, atLeast minimum: Int64) throws(Reject) -> Int64 {
    guard case .integer(let number) = value.scalar, number >= minimum else {
      throw Reject(.invalidField, "\(field) must be a whole number, \(minimum) or more")
    }
    return number
  }

  private static func timestamp(_ field: String, _ value: ParsedField) throws(Reject) -> Timestamp {
    let timestamp: Timestamp
    switch value.scalar {
    case .string(let text):
      guard let parsed = Timestamp(rfc3339: text) else {
        throw Reject(
          .invalidField, "\(field) is no RFC 3339 date and time with an offset, such as 2026-11-20T10:15:30.123Z")
      }
      timestamp = parsed
    case .integer(let milliseconds): timestamp = Timestamp(milliseconds: milliseconds)
    // A whole number that is kept as a double is beyond 2^53, and so beyond all calendars.
    case .double(let number) where number.rounded() == number:
      timestamp = Timestamp(milliseconds: number < 0 ? .min : .max)
    default:
      throw Reject(
        .invalidField, "\(field) is \(value.kindName); it must be an RFC 3339 date and time, or whole milliseconds since 1970")
    }
    guard Timestamp.writable.contains(timestamp) else {
      throw Reject(field == "ts" ? .timestampOutOfRange : .invalidField, "\(field) is not within the years 0000 to 9999")
    }
    return timestamp
  }
}

extension EventFields {
  /// Puts the device's clock right where the event says both when it was sent and when it was received.
  ///
  /// A record that carries `device_ts` was put right before: it is a stored one that is read again.
  mutating func correctClock(receivedAt now: Timestamp) {
    if let sentAt, deviceTimestamp == nil {
      deviceTimestamp = timestamp
      if let receivedAt { timestamp.milliseconds += receivedAt.milliseconds - sentAt.milliseconds }
    }
    receivedAt = receivedAt ?? now
  }

  /// Refuses an event from before there were apps, or from the future.
  func refuseOutOfRange(now: Timestamp) throws(Reject) {
    guard Timestamp.writable.contains(timestamp) else {
      throw Reject(.timestampOutOfRange, "ts is not within the years 0000 to 9999")
    }
    guard timestamp.milliseconds >= Limits.timestampMillisecondsMin else {
      throw Reject(.timestampOutOfRange, "ts is before 2007-01-01")
    }
    guard timestamp.milliseconds - Limits.futureMillisecondsMax <= now.milliseconds else {
      throw Reject(.timestampOutOfRange, "ts is more than 24 hours after the clock (\(now))")
    }
  }
}
