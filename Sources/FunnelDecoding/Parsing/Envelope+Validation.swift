import FunnelModel

extension Envelope {
  /// Sets all fields of an event from the line.
  ///
  /// - Throws: The reason for rejecting the line, if a required field is missing or a field is invalid.
  func validate(into event: inout EventFields) throws(Rejection) {
    try refuseMissing()
    // The required fields exist, or `refuseMissing` has thrown.
    event.name = try self[.name]!.name("name")
    event.app = try self[.app]?.name("app") ?? defaultApp!
    event.flow = try self[.flow]?.name("flow")
    event.step = try self[.step]?.name("step")
    event.subject = try self[.subject]!.personID("subject")
    event.user = nil
    if let user = try self[.user]?.personID("user") { event.setUser(user) }
    event.attempt = try self[.attempt]?.identifierOrEmpty("attempt")
    event.id = try self[.id]?.identifier("id")
    event.flowVersion = try self[.flowVersion]?.integer("flow_version", atLeast: 1)
    event.sequence = try self[.sequence]?.integer("seq", atLeast: 0)
    event.sentAt = try self[.sentAt]?.timestamp("sent_at")
    event.receivedAt = try self[.receivedAt]?.timestamp("received_at")
    event.deviceTimestamp = try self[.deviceTimestamp]?.timestamp("device_ts")
    event.timestamp = try self[.timestamp]!.timestamp("ts", outOfRange: .timestampOutOfRange)
    try collect(.context, into: &event.context)
    try collect(.props, into: &event.props)
    try addUnknown(to: &event.props)
  }

  /// Adds the fields that are not part of the envelope to the properties. A property of the same key has priority.
  private func addUnknown(to props: inout EventMembers) throws(Rejection) {
    guard !unknown.isEmpty else { return }
    for index in unknown {
      let field = fields[index]
      guard let value = field.scalar else {
        throw Rejection(
          .invalidField, "\(field.key.span.shown) is \(field.kindName) and not a field of the envelope; put scalars under props"
        )
      }
      let isDuplicate = props.contains { $0.key.elementsEqual(field.key) }
      if !isDuplicate { props.append(EventMember(key: field.key, value: value)) }
    }
    // The stored record must be readable too, and the limit applies to it.
    guard props.count <= Limits.objectKeysMax else { throw LineDiagnosis.tooManyKeys }
    Self.sort(props)
  }

  /// Replaces the members by those of `props` or `ctx`, sorted by key.
  private func collect(_ known: KnownField, into members: inout EventMembers) throws(Rejection) {
    members.removeAll()
    guard let object = self[known] else { return }
    guard object.isObject else { throw Rejection(.invalidField, "\(known.text) is \(object.kindName); it must be an object") }
    for index in self.members(of: known) {
      let member = fields[index]
      guard let value = member.scalar else {
        throw Rejection(
          .invalidField,
          "\(known.text).\(member.key.span.shown) is \(member.kindName); it must be a string, a number, a boolean or null")
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
}
