/// Validates events as `funnel ingest` does (specification section 1), and encodes them as lines in canonical form.
///
/// Fields are in the order of the log, keys of `props` and `ctx` are sorted by their bytes, times are in UTC.
struct EventEncoder {
  /// Properties or context, sorted by the bytes of their keys.
  typealias Members = [(key: String, value: EventValue)]

  /// The start of the names of events that are about a step.
  private static let stepPrefix = "step_"

  private let app: String
  private let lineBytesMax: Int
  private var filter = PersonalDataFilter()
  private var context = Members()
  /// The member `ctx` as JSON, with a leading comma, or an empty array if there is no context.
  private var contextText: [UInt8] = []

  /// Creates an encoder for the events of an app.
  ///
  /// - Throws: ``EventRecorderError`` if the app is invalid.
  init(app: String, lineBytesMax: Int) throws(EventRecorderError) {
    precondition(lineBytesMax > 0, "a line has at least one byte")
    self.app = app
    self.lineBytesMax = lineBytesMax
    try Self.requireName(app, "app")
  }

  /// Throws if a subject or user is invalid or contains personal data.
  ///
  /// - Parameter field: `subject` or `user`, for messages.
  func requirePerson(_ id: String, _ field: String) throws(EventRecorderError) {
    try filter.reject(id, named: field)
    try Self.requireIdentifier(id, field, isEmptyAllowed: false)
    guard !id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw EventRecorderError(.invalidField, "\(field) contains a control character; use a pseudonymous id")
    }
  }

  /// Throws if a user is invalid, contains personal data, or is a placeholder such as `anonymous`.
  func requireUser(_ user: String) throws(EventRecorderError) {
    try requirePerson(user, "user")
    guard !PlaceholderID.contains(user) else {
      throw EventRecorderError(
        .invalidField, "user is a placeholder, such as anonymous or null; give the ID of an account, or call signOut()")
    }
  }

  /// Replaces the context of later events.
  mutating func setContext(_ context: [String: EventValue]) throws(EventRecorderError) {
    let members = Self.sorted(context)
    try filter.reject(members, in: "ctx.")
    try Self.requireValues(members, in: "ctx")
    self.context = members
    contextText = []
    guard !members.isEmpty else { return }
    contextText.append(text: ",\"ctx\":")
    contextText.appendJSONObject(members)
  }

  /// Returns the line of an event, including its line feed.
  ///
  /// - Parameters:
  ///   - identity: The person that the event is about.
  ///   - attempt: The attempt of an event that names none.
  ///   - id: The ID of an event that has none.
  ///   - now: The time of the clock. The event may be ahead of it by 24 hours.
  /// - Throws: ``EventRecorderError`` if the event is invalid or contains personal data.
  mutating func line(
    of event: FunnelEvent, at time: Timestamp, identity: Identity, attempt: String?, sequence: Int, id: String, now: Timestamp
  ) throws(EventRecorderError) -> [UInt8] {
    let attempt = event.attempt ?? attempt
    let props = Self.sorted(event.props)
    try filter.reject(attempt, named: "attempt")
    try filter.reject(event.id, named: "id")
    try filter.reject(props, in: "props.")
    if event.step == nil, event.name.hasPrefix(Self.stepPrefix) {
      throw EventRecorderError(.missingField, "step is missing: \(event.name.printable) needs a step id; give it")
    }
    try validate(event, attempt: attempt, props: props)
    try Self.requireTime(time, now: now)
    try filter.reject(props, in: "props.", forbidding: event.forbiddenKeys)
    try filter.reject(context, in: "ctx.", forbidding: event.forbiddenKeys)
    var event = event
    event.attempt = attempt
    event.id = event.id ?? id
    let line = encoded(event, at: time, identity: identity, sequence: sequence, props: props)
    let byteCount = line.count - 1  // without the line feed
    guard byteCount <= lineBytesMax else {
      throw EventRecorderError(
        .lineTooLong, "the event has \(byteCount) bytes, \(lineBytesMax) are allowed; log less with it")
    }
    return line
  }

  private func validate(
    _ event: FunnelEvent, attempt: String?, props: Members
  ) throws(EventRecorderError) {
    try Self.requireName(event.name, "name")
    if let app = event.app, app != self.app {
      throw EventRecorderError(
        .invalidField, "the event belongs to the app \(app.printable), the recorder to \(self.app); use a recorder of that app")
    }
    if let flow = event.flow { try Self.requireName(flow, "flow") }
    if let step = event.step { try Self.requireName(step, "step") }
    if let attempt { try Self.requireIdentifier(attempt, "attempt", isEmptyAllowed: true) }
    if let id = event.id { try Self.requireIdentifier(id, "id", isEmptyAllowed: false) }
    if let version = event.flowVersion, version < 1 {
      throw EventRecorderError(.invalidField, "flow_version must be a whole number, 1 or more")
    }
    try Self.requireValues(props, in: "props")
  }

  private func encoded(
    _ event: FunnelEvent, at time: Timestamp, identity: Identity, sequence: Int, props: Members
  ) -> [UInt8] {
    assert(sequence >= 0, "events are numbered from 0")
    var line: [UInt8] = []
    line.append(text: "{\"name\":\"\(event.name)\",\"ts\":\"\(time)\",\"subject\":")
    line.appendJSONString(identity.subject)
    if let user = identity.user {
      line.append(text: ",\"user\":")
      line.appendJSONString(user)
    }
    line.append(text: ",\"app\":\"\(app)\"")
    if let flow = event.flow { line.append(text: ",\"flow\":\"\(flow)\"") }
    if let version = event.flowVersion { line.append(text: ",\"flow_version\":\(version)") }
    if let attempt = event.attempt {
      line.append(text: ",\"attempt\":")
      line.appendJSONString(attempt)
    }
    line.append(text: ",\"seq\":\(sequence)")
    if let step = event.step { line.append(text: ",\"step\":\"\(step)\"") }
    if let id = event.id {
      line.append(text: ",\"id\":")
      line.appendJSONString(id)
    }
    if !props.isEmpty {
      line.append(text: ",\"props\":")
      line.appendJSONObject(props)
    }
    line += contextText
    line.append(text: ",\"v\":1}\n")
    return line
  }

  private static func sorted(_ members: [String: EventValue]) -> Members {
    members.map { ($0.key, $0.value) }.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
  }
}

// The rules for single fields, with the messages of `funnel ingest`.
extension EventEncoder {
  private static func requireName(_ text: String, _ field: String) throws(EventRecorderError) {
    let bytes = text.utf8
    let isName =
      bytes.first?.isLowercaseASCIILetter == true && bytes.count <= Limits.nameBytesMax
      && bytes.allSatisfy { $0.isLowercaseASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
    guard isName else {
      throw EventRecorderError(
        .invalidField,
        "\(field) must be a lower-case letter and then up to \(Limits.nameBytesMax - 1) lower-case letters, digits and underscores"
      )
    }
  }

  private static func requireIdentifier(_ text: String, _ field: String, isEmptyAllowed: Bool) throws(EventRecorderError) {
    guard isEmptyAllowed || !text.isEmpty else { throw EventRecorderError(.invalidField, "\(field) is empty; give one") }
    guard text.utf8.count <= Limits.identifierBytesMax else {
      throw EventRecorderError(
        .invalidField, "\(field) has \(text.utf8.count) bytes; \(Limits.identifierBytesMax) are allowed")
    }
  }

  private static func requireValues(_ members: Members, in place: String)
    throws(EventRecorderError)
  {
    guard members.count <= Limits.objectKeysMax else {
      throw EventRecorderError(
        .invalidField, "\(place) has \(members.count) keys; \(Limits.objectKeysMax) are allowed, log less with the event")
    }
    for case (let key, .double(let number)) in members where !number.isFinite {
      throw EventRecorderError(
        .invalidField, "\(place).\(key.printable) is \(number), which JSON can't represent; leave it out")
    }
  }

  private static func requireTime(_ time: Timestamp, now: Timestamp) throws(EventRecorderError) {
    guard time.milliseconds >= Limits.timestampMillisecondsMin else {
      throw EventRecorderError(.timestampOutOfRange, "ts is before 2007-01-01; set the device's clock")
    }
    guard time.milliseconds - Limits.futureMillisecondsMax <= now.milliseconds else {
      throw EventRecorderError(.timestampOutOfRange, "ts is more than 24 hours after the clock (\(now)); give the true time")
    }
  }
}
