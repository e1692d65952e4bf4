import FunnelModel

/// The fields of events whose flow is simulated from its definition.
extension EventWriter {
  /// Returns the template of an event, or `nil` if the event is one of a known flow.
  func template(of event: SimulatedEvent) -> EventTemplate? {
    if case .declared(let index) = event.name { declared.events[Int(index)] } else { nil }
  }

  /// Returns the flow of an event, or `nil` if it is one of the known flows.
  func declaredFlow(of event: SimulatedEvent) -> DeclaredFlow? {
    template(of: event).map { declared.flows[$0.flow] }
  }

  /// Appends `props` with invented values, if the event has any. What tells attempts apart, such as a type, is the same in all events
  /// of an attempt.
  mutating func writeProperties(of template: EventTemplate, _ pending: PendingEvent, _ persona: Persona) {
    guard !template.props.isEmpty else { return }
    bytes.append(text: ",\"props\":{")
    for (index, property) in template.props.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += property.key
      bytes.append(UInt8(ascii: ":"))
      // The numbers of events and of attempts come from ranges that do not overlap.
      let occasion =
        property.values.isCategory
        ? UInt64(template.flow) << 32 | 1 << 16 | UInt64(pending.event.attempt) : UInt64(pending.ordinal)
      var random = RandomSource(seed: SplitMix64.combine(persona.key ^ property.hash, occasion))
      property.values.append(to: &bytes, &random)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// Appends `ctx`: the device, and the values that conditions of the definition ask for.
  mutating func writeContext(of template: EventTemplate, _ pending: PendingEvent, _ persona: Persona) {
    guard case .declared(let app) = pending.app else { return }
    let place = DeviceTraits.places[persona.place]
    let build = declared.apps[Int(app)].builds[declared.build(ofApp: Int(app), persona)]
    var values: [(key: String, json: [UInt8])] = [
      ("app_version", Self.json(build.version)), ("os", Self.json(DeviceTraits.systems[persona.system].name)),
      ("device", Self.json(DeviceTraits.devices[persona.device])), ("locale", Self.json(place.locale)),
      ("country", Self.json(place.country)), ("variant", Self.json(persona.isVariantB ? "B" : "A")),
    ]
    for value in template.context {
      values.removeAll { $0.key == value.key }
      // A condition on null asks for an event that does not have the key.
      if value.json != Self.null { values.append(value) }
    }
    bytes.append(text: ",\"ctx\":{")
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.appendJSONString(value.key)
      bytes.append(UInt8(ascii: ":"))
      bytes += value.json
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private static let null = Array("null".utf8)

  private static func json(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendJSONString(text)
    return bytes
  }
}
