import FunnelModel

extension Envelope {
  /// Sets all fields of an event from the line.
  ///
  /// - Throws: The reason for rejecting the line, if a required field is missing or a field is invalid.
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

  /// Adds the fields that are not part of the envelope to the properties. A property of the same key has priority.
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
    // The stored record must be readable too, and the limit applies to it.
    guard props.count <= Limits.objectKeysMax else { throw LineDiagnosis.reject(for: .tooManyKeys) }
    Self.sort(props)
  }

  /// Replaces the members by those of `props` or `ctx`, sorted by key.
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

  /// Sorts members by key: with insertion sort if they are few, in O(n log n) otherwise.
  private static func sort(_ members: EventMembers) {
    guard members.count <= insertionSortMax else { return members.sort { $0.key.precedes($1.key) } }
    for index in members.indices.dropFirst() {
      var position = index
      while position > 0, members[position].key.precedes(members[position - 1].key) {
        members.swapAt(position, position - 1)
        position -= 1
      }
    }
  }

  /// The number of members up to which insertion sort is the fastest.
  private static let insertionSortMax = 16

  private func optionalTimestamp(_ name: String, _ known: KnownField) throws(Rejection) -> Timestamp? {
    guard let field = self[known] else { return nil }
    return try Self.timestamp(name, field)
  }

  // The following functions return the value of a field, or throw a rejection that names the field.

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
    // A whole number that is parsed as a double is beyond 2^53, which is out of range as a time.
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

  /// Returns the unit in which a number is a time of the years 2007 to 2096: microseconds, nanoseconds, or
  /// `nil` for neither.
  private static func finerUnit(_ number: Int64) -> String? {
    switch number {
    case 1_167_609_600_000_000...4_000_000_000_000_000: "microseconds"
    case 1_167_609_600_000_000_000...4_000_000_000_000_000_000: "nanoseconds"
    default: nil
    }
  }
}
