import FunnelModel

/// The objects `props` and `ctx`.
extension EventWriter {
  /// Appends `props` if the event has any.
  mutating func writeProperties(_ pending: PendingEvent, _ persona: Persona) {
    guard pending.damage != .personalKey else {
      bytes.append(text: ",\"props\":{")
      bytes.append(text: pending.app.personalProperty)
      bytes.append(UInt8(ascii: "}"))
      return
    }
    if let template = template(of: pending.event) {
      writeProperties(of: template, pending, persona)
      return
    }
    if case .none = pending.event.detail { return }
    bytes.append(text: ",\"props\":{")
    writeDetail(pending.event.detail)
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func writeDetail(_ detail: EventDetail) {
    switch detail {
    case .none: break
    case .trigger(let trigger): write("\"trigger\":", string: trigger.rawValue)
    case .reason(let reason): write("\"reason\":", string: reason.rawValue)
    case .permission(let permission): write("\"permission\":", string: permission.rawValue)
    case .screen(let step, let usesOwnSpelling):
      write("\"screen\":", string: usesOwnSpelling ? step.ownSpelling : step.rawValue)
    case .progress(let progress):
      bytes.append(text: "\"progress\":")
      bytes.appendJSONNumber(progress)
    case .durationMilliseconds(let duration): write("\"duration_ms\":", number: Int64(duration))
    case .piles(let count): write("\"piles\":", number: Int64(count))
    case .pinSet(let isSet): write("\"pin_set\":", bare: isSet ? "true" : "false")
    case .people(let count, let isManual):
      write("\"people\":", number: Int64(count))
      write(",\"manual_entry\":", bare: isManual ? "true" : "false")
    case .networks(let count, let isGated, let isManual):
      write("\"networks\":", number: Int64(count))
      write(",\"wifi_gate\":", string: isGated ? "on" : "off")
      write(",\"manual_entry\":", bare: isManual ? "true" : "false")
    case .product(let product): write("\"product\":", string: product.rawValue)
    case .productIdentifier(let product): write("\"product\":", string: product.identifier)
    case .challenge(let challenge): write(challenge)
    case .verified(let challenge, let method, let duration):
      write(challenge)
      write(",\"method\":", string: method.rawValue)
      if duration > 0 { write(",\"duration_ms\":", number: Int64(duration)) }
    case .failed(let challenge, let reason, let duration):
      write(challenge)
      write(",\"reason\":", string: reason.rawValue)
      if duration > 0 { write(",\"duration_ms\":", number: Int64(duration)) }
    case .connection(let type, let seconds):
      write("\"type\":", string: type.rawValue)
      write(",\"duration_s\":", number: Int64(seconds))
    case .focusSession(let isStrict): write("\"strict\":", bare: isStrict ? "true" : "false")
    }
  }

  private mutating func write(_ challenge: Challenge) {
    write("\"type\":", string: challenge.typeText)
    write(",\"layer\":", number: Int64(challenge.layer))
    write(",\"target_app\":", string: challenge.target.rawValue)
  }

  /// Appends `ctx`.
  mutating func writeContext(_ persona: Persona) {
    let place = DeviceTraits.places[persona.place]
    write(",\"ctx\":{\"app_version\":", string: persona.build.appVersion)
    write(",\"os\":", string: DeviceTraits.systems[persona.system].name)
    write(",\"device\":", string: DeviceTraits.devices[persona.device])
    write(",\"locale\":", string: place.locale)
    write(",\"country\":", string: place.country)
    write(",\"variant\":", string: persona.isVariantB ? "B" : "A")
    bytes.append(UInt8(ascii: "}"))
  }

  @inline(__always)
  private mutating func write(_ key: String, string: String) {
    bytes.append(text: key)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(text: string)
    bytes.append(UInt8(ascii: "\""))
  }

  @inline(__always)
  private mutating func write(_ key: String, bare: String) {
    bytes.append(text: key)
    bytes.append(text: bare)
  }

  @inline(__always)
  private mutating func write(_ key: String, number: Int64) {
    bytes.append(text: key)
    bytes.appendDecimal(number)
  }
}

extension SimulatedApp {
  /// A member of `props` that no log may have, as each app is most likely to log it by mistake.
  fileprivate var personalProperty: String {
    switch self {
    case .clarity: "\"suggestedContactName\":\"Somebody\""
    case .cleaner, .trendy, .smilepile, .declared: "\"email\":\"somebody@example.com\""
    }
  }
}
