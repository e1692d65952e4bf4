import FunnelModel

/// Writes events as lines of the native format (specification section 1) into one reused buffer.
struct EventWriter {
  /// The bytes that are written but not yet taken.
  var bytes: [UInt8] = []
  let declared: DeclaredFlows
  private let population: Population

  init(population: Population, declared: DeclaredFlows, capacity: Int) {
    self.population = population
    self.declared = declared
    bytes.reserveCapacity(capacity)
  }

  /// Removes the written bytes and keeps the buffer.
  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// Writes an event as a line, damaged if its `damage` requires it.
  mutating func write(_ pending: PendingEvent) {
    let persona = population.persona(of: pending.app, index: pending.subject)
    let start = bytes.count
    writeObject(pending, persona)
    if pending.damage != .none { spoil(pending.damage, lineFrom: start) }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Writes the event's object, including any damage to single fields.
  mutating func writeObject(_ pending: PendingEvent, _ persona: Persona) {
    let event = pending.event
    bytes.append(text: "{\"id\":\"")
    writeIdentifier(pending, persona)
    bytes.append(text: "\",\"name\":\"")
    writeName(pending)
    bytes.append(UInt8(ascii: "\""))
    if pending.damage != .missingTime {
      bytes.append(text: ",\"ts\":")
      writeTime(pending.damage == .timeOutOfRange ? 0 : event.milliseconds + persona.clockSkewMilliseconds, persona)
    }
    writeFlow(pending, persona)
    if pending.damage != .missingSubject { writeSubject(pending, persona) }
    writeAttempt(event, persona)
    if persona.build.hasSequence {
      bytes.append(text: ",\"seq\":")
      bytes.appendDecimal(Int64(pending.ordinal))
    }
    writeStep(event)
    writeProperties(pending, persona)
    if let template = template(of: event) {
      writeContext(of: template, pending, persona)
    } else {
      writeContext(persona)
    }
    if pending.reportsTransit { writeTransit(pending, persona) }
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func writeName(_ pending: PendingEvent) {
    let start = bytes.count
    appendName(of: pending.event)
    switch pending.damage {
    // Swaps the second and third letters, which are in the prefix and differ in every name of the known flows. Flows declare every
    // name that begins with perm_<permission>_ and every step_* of their steps, so a misspelling after the prefix could still be
    // declared.
    case .misspelt: if bytes.count > start + 2 { bytes.swapAt(start + 1, start + 2) }
    case .invalidName: bytes[start] -= 32
    default: break
    }
  }

  private mutating func appendName(of event: SimulatedEvent) {
    switch event.name {
    case .known(let name): bytes.append(text: name.rawValue)
    case .step(let name): bytes.append(text: name.rawValue)
    case .permission(let permission, let suffix):
      bytes.append(text: PermissionEventName.prefix)
      bytes.append(text: permission.rawValue)
      bytes.append(UInt8(ascii: "_"))
      bytes.append(text: suffix.rawValue)
    case .declared(let index): bytes += declared.events[Int(index)].name
    }
  }

  /// Appends the app and, if the build names them, the flow and its version.
  private mutating func writeFlow(_ pending: PendingEvent, _ persona: Persona) {
    let ofDefinition = declaredFlow(of: pending.event)
    bytes.append(text: ",\"app\":\"")
    if let flow = pending.event.flow { bytes.append(text: flow.appName) }
    if let ofDefinition { bytes += ofDefinition.app }
    guard persona.build.namesFlow || pending.damage == .invalidVersion else {
      bytes.append(UInt8(ascii: "\""))
      return
    }
    bytes.append(text: "\",\"flow\":\"")
    if let flow = pending.event.flow { bytes.append(text: flow.name) }
    if let ofDefinition { bytes += ofDefinition.flow }
    bytes.append(text: "\",\"flow_version\":")
    let version = ofDefinition.map { Int64($0.version) } ?? Int64(pending.event.version)
    bytes.appendDecimal(pending.damage == .invalidVersion ? 0 : version)
  }

  private mutating func writeStep(_ event: SimulatedEvent) {
    let declaredStep = template(of: event)?.step
    guard event.step != nil || declaredStep != nil else { return }
    bytes.append(text: ",\"step\":\"")
    if let step = event.step { bytes.append(text: step.rawValue) }
    if let declaredStep { bytes += declaredStep }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func writeTransit(_ pending: PendingEvent, _ persona: Persona) {
    bytes.append(text: ",\"sent_at\":")
    let sent = pending.receivedMilliseconds - Int64(pending.transitMilliseconds)
    writeTime(sent + persona.clockSkewMilliseconds, persona)
    bytes.append(text: ",\"received_at\":")
    writeTime(pending.receivedMilliseconds, persona)
  }

  private mutating func writeTime(_ milliseconds: Int64, _ persona: Persona) {
    switch persona.build.timeStyle {
    case .milliseconds: bytes.appendDecimal(milliseconds)
    case .utc: writeTime(milliseconds, offsetMinutes: nil)
    case .local: writeTime(milliseconds, offsetMinutes: DeviceTraits.places[persona.place].offsetMinutes)
    }
  }

  private mutating func writeTime(_ milliseconds: Int64, offsetMinutes: Int64?) {
    bytes.append(UInt8(ascii: "\""))
    Timestamp(milliseconds: milliseconds + (offsetMinutes ?? 0) * 60_000).append(to: &bytes)
    if let offsetMinutes {
      bytes[bytes.count - 1] = UInt8(ascii: offsetMinutes < 0 ? "-" : "+")
      let minutes = offsetMinutes.magnitude
      bytes.appendTwoDigits(minutes / 60)
      bytes.append(UInt8(ascii: ":"))
      bytes.appendTwoDigits(minutes % 60)
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
