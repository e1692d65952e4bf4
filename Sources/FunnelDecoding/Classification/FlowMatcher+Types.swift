import FunnelModel

extension FlowMatcher {
  /// The flows and schemas that apply to one event type.
  struct TypeDetail {
    /// The flows that the events may belong to, each with the conversions of its versions, by index in the catalog.
    var candidates: [(choice: FlowVersionChoice, readings: [Int: FlowReading])] = []
    /// The keys whose values the flow matches depend on.
    var keys = MatchKeys()
    /// Whether the events name their flow. If so, only that flow decides whether they are valid.
    var namesFlow = false
    /// The rules that the flow versions define for the events' properties, by index in the catalog.
    var validators: [Int: EventPropertyRules] = [:]

    /// Whether the flow matches of an event depend on more than its type.
    var isConditional: Bool { !keys.isEmpty }
  }

  /// The cached facts about the types, by their numbers.
  @inline(__always)
  var facts: Table<EventTypes.Facts> { types.facts }

  /// Returns the number of an event's type, adding the type if it is new. The names of the event must be valid.
  ///
  /// The number is valid until the next lookup, which may clear the table.
  @inline(__always)
  mutating func type(of event: EventReference) -> Int { cachedType(of: event) ?? findOrInsertType(of: event) }

  /// Returns the number of an event's type, adding the type if it is new, or `nil` if a name is invalid or a step event
  /// has no step.
  @inline(__always)
  mutating func typeIfValid(of event: EventReference) -> Int? {
    if let number = cachedType(of: event) { return number }
    return findOrInsertTypeIfValid(of: event)
  }

  /// Returns the number of the type that the event's key identifies, or `nil` if the key is not known.
  @inline(__always)
  private func cachedType(of event: EventReference) -> Int? {
    event.fields.typeKey != 0 ? types.number(ofKey: event.fields.typeKey) : nil
  }

  private mutating func findOrInsertType(of event: EventReference) -> Int {
    let hash = EventTypes.hash(of: event.fields)
    return findType(of: event, hash: hash) ?? insertType(of: event, hash: hash)
  }

  private mutating func findOrInsertTypeIfValid(of event: EventReference) -> Int? {
    let hash = EventTypes.hash(of: event.fields)
    if let number = findType(of: event, hash: hash) { return number }
    // The names of a known type are valid, so only those of a new one are checked.
    return event.fields.hasValidNames ? insertType(of: event, hash: hash) : nil
  }

  /// Returns the number of an event's type, or `nil` if the type is new.
  private func findType(of event: EventReference, hash: UInt64) -> Int? {
    guard let number = types.number(of: event.fields, hash: hash) else { return nil }
    types.note(number, ofKey: event.fields.typeKey)
    return number
  }

  private mutating func insertType(of event: EventReference, hash: UInt64) -> Int {
    if types.count >= EventTypes.countMax {
      types.removeAll()
      details.removeAll()
      conditionalResolutions.removeAll()
    }
    let detail = detail(of: event.fields)
    var hasher = SipHasher()
    hasher.combine(event.fields.app.span)
    hasher.combine(event.fields.name.span)
    var facts = EventTypes.Facts(
      isDeclared: false, isConditional: detail.isConditional, hasSchemas: !detail.validators.isEmpty, matchListID: 0,
      identity: hasher.finish())
    if !facts.isConditional {
      let resolution = match(event.fields, detail)
      facts.isDeclared = resolution.isDeclared
      facts.matchListID = resolution.matchListID
    }
    details.append(detail)
    let number = types.add(event.fields, hash: hash, facts: facts)
    types.note(number, ofKey: event.fields.typeKey)
    return number
  }

  /// Returns the flows and schemas that apply to an event's type.
  private func detail(of event: EventFields) -> TypeDetail {
    let flow = event.flow?.text
    let name = event.name.text
    let step = event.step?.text
    var detail = TypeDetail()
    detail.namesFlow = flow != nil
    for choice in catalog.versionChoices(app: event.app.text, flow: flow, version: event.flowVersion.map { Int($0) }) {
      var readings: [Int: FlowReading] = [:]
      for version in choice.versions
      where wantedFlows?.contains(version) ?? true
        && catalog.aggregates(version, of: choice, flow: flow, name: name, step: step)
      {
        var reading = FlowReading(flow: version, name: name, step: step, in: catalog)
        reading.namesVersion = choice.isNamed && event.flowVersion != nil
        reading.insertKeys(into: &detail.keys, wanted)
        readings[version] = reading
        detail.validators[version] = schemas[version].rules(event: name, step: step)
      }
      guard !readings.isEmpty else { continue }
      if choice.dependsOnAppVersion { detail.keys.insert(.context(Self.appVersionKey)) }
      detail.candidates.append((choice, readings))
    }
    return detail
  }
}

extension FlowMatcher {
  /// Returns a message about a property that violates the schemas of the event's flow versions, or `nil` if the
  /// event is valid.
  ///
  /// If the event names a flow, only the schemas of that flow apply. Otherwise the event is invalid only if
  /// every flow version rejects it: adding a flow must not remove events from other flows.
  @inline(__always)
  mutating func violation(by event: EventReference, type: Int) -> String? {
    facts[type].hasSchemas ? schemaViolation(by: event, type: type) : nil
  }

  private mutating func schemaViolation(by event: EventReference, type: Int) -> String? {
    let resolution = resolve(event, type: type)
    let detail = details[type]
    var first: String?
    for flow in flows(of: resolution)
    where !catalog.adHocIndices.contains(flow) && !catalog.returnIndices.contains(flow) {
      let isNamed = detail.candidates.contains { $0.choice.isNamed && $0.choice.versions.contains(flow) }
      if detail.namesFlow, !isNamed { continue }
      let violation = detail.validators[flow]?.violation { event.fields.property($0)?.propertyValue }
      guard let violation else { return nil }
      first = first ?? violation
    }
    return first
  }
}
