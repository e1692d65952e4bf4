import FunnelModel

/// Ids, all derived from the subject's key and never stored.
extension EventWriter {
  /// Appends the event's id: a version 4 UUID, or `e` and twelve hexadecimal digits.
  mutating func writeIdentifier(_ pending: PendingEvent, _ persona: Persona) {
    let first = SplitMix64.combine(persona.key, UInt64(pending.ordinal))
    guard persona.build.hasUniversalIdentifiers else {
      bytes.append(UInt8(ascii: "e"))
      bytes.appendHexadecimal(first, digits: 12)
      return
    }
    let second = SplitMix64.mix(first &+ 1)
    bytes.appendHexadecimal(first >> 32, digits: 8)
    bytes.append(UInt8(ascii: "-"))
    bytes.appendHexadecimal(first >> 16, digits: 4)
    bytes.append(text: "-4")
    bytes.appendHexadecimal(first, digits: 3)
    bytes.append(UInt8(ascii: "-"))
    bytes.appendHexadecimal(0x8000 | second >> 48 & 0x3FFF, digits: 4)
    bytes.append(UInt8(ascii: "-"))
    bytes.appendHexadecimal(second, digits: 12)
  }

  /// Appends the subject, a pseudonym of the install.
  mutating func writeSubject(_ pending: PendingEvent, _ persona: Persona) {
    if pending.damage == .personalValue {
      // A number from the range reserved for fiction (555-0100 to 555-0199).
      bytes.append(text: ",\"subject\":\"+12025550143\"")
      return
    }
    bytes.append(text: ",\"subject\":\"inst_")
    bytes.appendHexadecimal(SplitMix64.mix(persona.key), digits: 16)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends the id of the attempt, if the build has attempts or the flow counts them. Ids of attempts that are counted differ between
  /// subjects, those of others need not.
  mutating func writeAttempt(_ event: SimulatedEvent, _ persona: Persona) {
    let (prefix, flow): (String?, UInt64) =
      switch (event.flow, template(of: event)?.flow) {
      case (let flow?, _): (flow.attemptPrefix, UInt64(flow.rawValue))
      // The numbers of declared flows follow those that the one byte of a known flow can take.
      case (nil, let index?): (declared.flows[index].countsAttempts ? "r_" : nil, 0x100 + UInt64(index))
      case (nil, nil): (nil, 0)
      }
    guard persona.build.hasAttempt || prefix != nil else { return }
    bytes.append(text: ",\"attempt\":\"")
    if let prefix {
      bytes.append(text: prefix)
      let key = flow << 16 | UInt64(event.attempt)
      bytes.appendHexadecimal(SplitMix64.combine(persona.key ^ 0xA77E_3970, key), digits: 12)
    } else {
      bytes.append(UInt8(ascii: "a"))
      bytes.appendDecimal(Int64(event.attempt))
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

extension [UInt8] {
  /// Appends the lowest hexadecimal digits of a number.
  @inline(__always)
  mutating func appendHexadecimal(_ value: UInt64, digits: Int) {
    var shift = 4 * digits
    while shift > 0 {
      shift -= 4
      append(Hexadecimal.digit(UInt8(truncatingIfNeeded: value >> UInt64(shift) & 15)))
    }
  }

  /// Appends a number below 100 as two digits.
  @inline(__always)
  mutating func appendTwoDigits(_ value: UInt64) {
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10))
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
  }
}
