internal import FunnelModel

/// Checks events as `funnel ingest` does (specification section 1), and writes those that pass as canonical lines.
///
/// The fields stand in the order of the log, keys of `props` and `ctx` are sorted by their bytes, times are in UTC.
struct EventEncoder {
  private let app: String
  private let subject: String
  private let lineBytesMax: Int
  private var gate = PersonalDataGate()
  private var context: [(key: String, value: PropertyValue)] = []
  /// The context as JSON with its key in front, or empty.
  private var contextText: [UInt8] = []

  /// Throws if app, subject or context are not valid.
  init(
    app: String, subject: String, context: [String: EventValue], lineBytesMax: Int
  ) throws(EventRecorderError) {
    self.app = app
    self.subject = subject
    self.lineBytesMax = lineBytesMax
    try gate.refuse(subject, named: "subject")
    try Self.requireName(app, "app")
    try Self.requireIdentifier(subject, "subject", isEmptyAllowed: false)
    guard !subject.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw EventRecorderError(.invalidField, "subject contains a control character; use a pseudonymous id")
    }
    try setContext(context)
  }

  /// Replaces the context of the events that follow.
  mutating func setContext(_ context: [String: EventValue]) throws(EventRecorderError) {
    let members = Self.sorted(context)
    try gate.refuse(members, in: "ctx.")
    try Self.requireValues(members, in: "ctx")
    self.context = members
    contextText = []
    if !members.isEmpty { Self.append(members, as: ",\"ctx\":", to: &contextText) }
  }

  /// Returns the line of an event with its line feed, or throws why it is refused.
  ///
  /// - Parameters:
  ///   - attempt: The run through the flow, for an event that names none.
  ///   - now: The clock, which the event may be ahead of by 24 hours.
  mutating func line(
    of event: FunnelEvent, at time: Timestamp, attempt: String?, sequence: Int, now: Timestamp
  ) throws(EventRecorderError) -> [UInt8] {
    let attempt = event.attempt ?? attempt
    let props = Self.sorted(event.props)
    try gate.refuse(attempt, named: "attempt")
    try gate.refuse(event.id, named: "id")
    try gate.refuse(props, in: "props.")
    if event.step == nil, StepEventName.isAboutStep(event.name) {
      throw EventRecorderError(.missingField, "step is missing: \(event.name.printable) needs a step id; give it")
    }
    try validate(event, attempt: attempt, props: props)
    try Self.requireTime(time, now: now)
    try gate.refuse(props, in: "props.", forbidding: event.forbiddenKeys)
    try gate.refuse(context, in: "ctx.", forbidding: event.forbiddenKeys)
    let line = written(event, at: time, attempt: attempt, sequence: sequence, props: props)
    guard line.count - 1 <= lineBytesMax else {
      throw EventRecorderError(
        .lineTooLong, "the event has \(line.count - 1) bytes, \(lineBytesMax) are allowed; log less with it")
    }
    return line
  }

  private func validate(
    _ event: FunnelEvent, attempt: String?, props: [(key: String, value: PropertyValue)]
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

  private func written(
    _ event: FunnelEvent, at time: Timestamp, attempt: String?, sequence: Int, props: [(key: String, value: PropertyValue)]
  ) -> [UInt8] {
    var line: [UInt8] = []
    line.append(text: "{\"name\":\"\(event.name)\",\"ts\":\"")
    time.append(to: &line)
    line.append(text: "\",\"subject\":")
    line.appendJSONString(subject)
    line.append(text: ",\"app\":\"\(app)\"")
    if let flow = event.flow { line.append(text: ",\"flow\":\"\(flow)\"") }
    if let version = event.flowVersion { line.append(text: ",\"flow_version\":\(version)") }
    if let attempt {
      line.append(text: ",\"attempt\":")
      line.appendJSONString(attempt)
    }
    line.append(text: ",\"seq\":\(sequence)")
    if let step = event.step { line.append(text: ",\"step\":\"\(step)\"") }
    if let id = event.id {
      line.append(text: ",\"id\":")
      line.appendJSONString(id)
    }
    if !props.isEmpty { Self.append(props, as: ",\"props\":", to: &line) }
    line += contextText
    line.append(text: ",\"v\":1}\n")
    return line
  }

  private static func append(_ members: [(key: String, value: PropertyValue)], as prefix: String, to line: inout [UInt8]) {
    line.append(text: prefix)
    for (index, member) in members.enumerated() {
      line.append(text: index == 0 ? "{" : ",")
      line.appendJSONString(member.key)
      line.append(text: ":")
      member.value.appendJSON(to: &line)
    }
    line.append(text: "}")
  }

  private static func sorted(_ members: [String: EventValue]) -> [(key: String, value: PropertyValue)] {
    members.map { ($0.key, $0.value.canonical) }.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
  }
}
