import FunnelModel

extension Envelope {
  /// Fills in the event, or throws if a required field is missing or a field is invalid.
  func validate(into event: inout EventFields) throws(Rejection) {
    try refuseMissing()
    event.name = try Self.name("name", self[.name]!)
    if let app = self[.app] { event.app = try Self.name("app", app) } else { event.app = defaultApp! }
    event.flow = nil
    if let flow = self[.flow] { event.flow = try Self.name("flow", flow) }
    event.step = nil
    if let step = self[.step] { event.step = try Self.name("step", step) }
    event.subject = try Self.identifier("subject", self[.subject]!, isEmptyAllowed: false)
    guard !event.subject.hasControlCharacter else {
      throw Rejection(.invalidField, "subject contains a control character")
    }
    event.attempt = nil
    if let attempt = self[.attempt] { event.attempt = try Self.identifier("attempt", attempt, isEmptyAllowed: true) }
    event.id = nil
    if let id = self[.id] { event.id = try Self.identifier("id", id, isEmptyAllowed: false) }
    event.flowVersion = nil
    if let version = self[.flowVersion] { event.flowVersion = try Self.integer("flow_version", version, atLeast: 1) }
    event.sequence = nil
    if let sequence = self[.sequence] { event.sequence = try Self.integer("seq", sequence, atLeast: 0) }
    event.sentAt = try optionalTimestamp("sent_at", .sentAt)
    event.receivedAt = try optionalTimestamp("received_at", .receivedAt)
    event.deviceTimestamp = try optionalTimestamp("device_ts", .deviceTimestamp)
    event.timestamp = try Self.timestamp("ts", self[.timestamp]!)
    try collect("ctx", .context, into: &event.context)
    try collect("props", .props, into: &event.props)
    try addUnknown(to: &event.props)
  }

  /// Adds scalars that the envelope does not know to the properties. If `props` has the same key, its value is kept.
  private func addUnknown(to props: inout EventMembers) throws(Rejection) {
    guard !unknown.isEmpty else { return }
    for index in unknown {
      let field = fields[index]
      guard let value = field.scalar else {
        throw Rejection(
          .invalidField, "\(field.key.shown) is \(field.kindName) and not a field of the envelope; put scalars under props")
      }
      let isTaken = props.contains { $0.key.elementsEqual(field.key) }
      if !isTaken { props.append(EventMember(key: field.key, value: value)) }
    }
    // The limit applies again each time the stored record is read.
    guard props.count <= Limits.objectKeysMax else { throw LineDiagnosis.reject(for: .tooManyKeys) }
    Self.sort(props)
  }

  /// Collects the members of `props` or `ctx`, sorted by key, so that equal content has equal bytes.
  private func collect(_ name: String, _ known: KnownField, into members: inout EventMembers) throws(Rejection) {
    members.removeAll()
    guard let object = self[known] else { return }
    guard object.isObject else { throw Rejection(.invalidField, "\(name) is \(object.kindName); it must be an object") }
    for index in self.members(of: known) {
      let member = fields[index]
      guard let value = member.scalar else {
        throw Rejection(
          .invalidField, "\(name).\(member.key.shown) is \(member.kindName); it must be a string, a number, a boolean or null")
      }
      members.append(EventMember(key: member.key, value: value))
    }
    Self.sort(members)
  }

  /// Sorts members by key: few of them in place by insertion, but the many of a hostile line without quadratic time.
  private static func sort(_ members: EventMembers) {
    guard members.count <= 16 else { return members.sort { $0.key.precedes($1.key) } }
    for index in members.indices.dropFirst() {
      var place = index
      while place > 0, members[place].key.precedes(members[place - 1].key) {
        members.swapAt(place, place - 1)
        place -= 1
      }
    }
  }

  private func optionalTimestamp(_ name: String, _ known: KnownField) throws(Rejection) -> Timestamp? {
    guard let field = self[known] else { return nil }
    return try Self.timestamp(name, field)
  }

  private static func name(_ field: String, _ value: ParsedField) throws(Rejection) -> UnsafeRawBufferPointer {
    let text = try string(field, value)
    guard text.isName else {
      throw Rejection(
        .invalidField,
        "\(field) must be a lower-case letter and then up to \(Limits.nameBytesMax - 1) lower-case letters, digits and underscores"
      )
    }
    return text
  }

  private static func identifier(
    _ field: String, _ value: ParsedField, isEmptyAllowed: Bool
  ) throws(Rejection) -> UnsafeRawBufferPointer {
    let text = try string(field, value)
    guard isEmptyAllowed || !text.isEmpty else { throw Rejection(.invalidField, "\(field) is empty") }
    guard text.count <= Limits.identifierBytesMax else {
      throw Rejection(.invalidField, "\(field) has \(text.count) bytes; \(Limits.identifierBytesMax) are allowed")
    }
    return text
  }

  private static func string(_ field: String, _ value: ParsedField) throws(Rejection) -> UnsafeRawBufferPointer {
    guard case .string(let text) = value.scalar else {
      throw Rejection(.invalidField, "\(field) is \(value.kindName); it must be a string")
    }
    return text
  }

  private static func integer(_ field: String, _ value: ParsedField, atLeast minimum: Int64) throws(Rejection) -> Int64 {
    guard case .integer(let number) = value.scalar, number >= minimum else {
      throw Rejection(.invalidField, "\(field) must be a whole number, \(minimum) or more")
    }
    return number
  }

  private static func timestamp(_ field: String, _ value: ParsedField) throws(Rejection) -> Timestamp {
    let timestamp: Timestamp
    switch value.scalar {
    case .string(let text):
      guard let parsed = Timestamp(rfc3339: text) else {
        throw Rejection(
          .invalidField, "\(field) is not an RFC 3339 date and time with an offset, such as 2026-11-20T10:15:30.123Z")
      }
      timestamp = parsed
    case .integer(let milliseconds): timestamp = Timestamp(milliseconds: milliseconds)
    // A whole number that is stored as a double is beyond 2^53, and so beyond all calendars.
    case .double(let number) where number.rounded() == number:
      timestamp = Timestamp(milliseconds: number < 0 ? .min : .max)
    default:
      throw Rejection(
        .invalidField, "\(field) is \(value.kindName); it must be an RFC 3339 date and time, or whole milliseconds since 1970")
    }
    guard Timestamp.writable.contains(timestamp) else {
      let hint = finerUnit(timestamp.milliseconds).map { "; a whole number is milliseconds, not \($0)" } ?? ""
      throw Rejection(
        field == "ts" ? .timestampOutOfRange : .invalidField, "\(field) is not within the years 0000 to 9999\(hint)")
    }
    return timestamp
  }

  /// Returns the unit, finer than milliseconds, in which a number probably is a time of the years 2007 to 2096.
  private static func finerUnit(_ number: Int64) -> String? {
    switch number {
    case 1_167_609_600_000_000...4_000_000_000_000_000: "microseconds"
    case 1_167_609_600_000_000_000...4_000_000_000_000_000_000: "nanoseconds"
    default: nil
    }
  }
}

extension EventFields {
  /// Corrects the device's clock if the event has both the time when it was sent and the time when it was received.
  ///
  /// A record with `device_ts` was corrected before: it is a stored record that is read again.
  mutating func correctClock(receivedAt now: Timestamp) {
    if let sentAt, deviceTimestamp == nil {
      deviceTimestamp = timestamp
      if let receivedAt { timestamp.milliseconds += receivedAt.milliseconds - sentAt.milliseconds }
    }
    receivedAt = receivedAt ?? now
  }

  /// The seconds since 1970 of the years 2007 to 2096, which may have been read as milliseconds.
  private static let looksLikeSeconds: ClosedRange<Int64> = 1_167_609_600...4_000_000_000

  /// Rejects an event from before there were apps, or from the future.
  func refuseOutOfRange(now: Timestamp) throws(Rejection) {
    guard Timestamp.writable.contains(timestamp) else {
      throw Rejection(.timestampOutOfRange, "ts is not within the years 0000 to 9999")
    }
    guard timestamp.milliseconds >= Limits.timestampMillisecondsMin else {
      let hint =
        deviceTimestamp == nil && Self.looksLikeSeconds.contains(timestamp.milliseconds)
        ? "; a whole number is milliseconds, not seconds" : ""
      throw Rejection(.timestampOutOfRange, "ts is before 2007-01-01\(hint)")
    }
    guard timestamp.milliseconds - Limits.futureMillisecondsMax <= now.milliseconds else {
      throw Rejection(.timestampOutOfRange, "ts is more than 24 hours after the clock (\(now))")
    }
  }
}

/// The times that an event may have: neither before there were apps nor in the future. ``EventFields/refuseOutOfRange(now:)`` explains why
/// another time is refused.
struct EventTimes {
  private let first = max(Limits.timestampMillisecondsMin, Timestamp.writable.lowerBound.milliseconds)
  private let last: Int64

  init(now: Timestamp) {
    let (last, overflows) = now.milliseconds.addingReportingOverflow(Limits.futureMillisecondsMax)
    let writable = Timestamp.writable.upperBound.milliseconds
    self.last = overflows ? writable : min(last, writable)
  }

  @inline(__always)
  func contain(_ time: Timestamp) -> Bool { first <= time.milliseconds && time.milliseconds <= last }
}
