package import FunnelModel

/// Resolves the meaning of events: which flow versions fold an event, whether one of them declares it, and its kind in each (specification
/// sections 1 and 6).
///
/// A log contains few distinct types of events, so results are cached by their inputs: the event's type, and the values of the keys that
/// matter to the flows that may fold it. A resolver must not be shared between threads.
package struct FlowResolver {
  /// The meaning of an event.
  package struct Resolution {
    /// Whether a flow version declares the event.
    package var isClaimed: Bool
    /// The index of the event's claims in ``meanings``; 0 if no flow folds it.
    package var meaning: UInt32

    /// Whether a flow version folds the event.
    package var isFolded: Bool { meaning != 0 }
  }

  /// The details of a type, for events whose meaning varies within the type or whose properties are validated.
  private struct TypeDetail {
    /// The flows that may fold the events, each with the readings of its versions.
    var candidates: [(candidate: FlowCandidate, readings: [Int: FlowReading])] = []
    /// The keys that distinguish the meanings of the events.
    var keys = MeaningKeys()
    /// Whether the events name their flow: then that flow alone decides whether they are valid.
    var namesFlow = false
    /// The rules that the flow versions define for the events' properties, by index in the catalog.
    var validators: [Int: EventPropertyRules] = [:]

    /// Whether the meaning of an event depends on more than its type.
    var isConditional: Bool { !keys.isEmpty }
  }

  private let catalog: FlowCatalog
  private let schemas: [CompiledPropertySchemas]
  private let wanted: WantedMeaning
  private let wantedFlows: Set<Int>?
  private let types = EventTypes()
  /// The details of each type, by its number.
  private var details: [TypeDetail] = []
  private var conditionalResolutions: [Hash128: Resolution] = [:]
  private var meaningNumbers: [[EventClassTable.Claim]: UInt32] = [[]: 0]
  /// The claims of all events resolved so far, by ``Resolution/meaning``.
  package private(set) var meanings: [[EventClassTable.Claim]] = [[]]

  /// Creates a resolver for the definitions of a catalog.
  ///
  /// - Parameters:
  ///   - dimensions: The stored dimensions whose values the claims carry as the flows read them.
  ///   - details: Whether the claims carry the details of events (``EventDetail``).
  ///   - flows: The indices in the catalog of the flow versions whose claims are wanted, or nil for all.
  package init(catalog: FlowCatalog, dimensions: [Dimension] = [], details: Bool = false, flows: Set<Int>? = nil) {
    self.catalog = catalog
    wantedFlows = flows
    schemas = catalog.definitions.map(CompiledPropertySchemas.init)
    wanted = WantedMeaning(dimensions: dimensions, details: details)
  }

  /// Returns the flow versions that fold an event, as indices in the catalog, each once.
  package func flows(of resolution: Resolution) -> [Int] {
    var flows: [Int] = []
    for claim in meanings[Int(resolution.meaning)] where flows.last != Int(claim.entry.flow) {
      flows.append(Int(claim.entry.flow))
    }
    return flows
  }

  /// Resolves an event.
  package mutating func resolve(_ event: EventFields) -> Resolution {
    withUnsafePointer(to: event) { resolve($0, type: type(of: $0)) }
  }

  /// Returns the keys that the meaning of events of this event's type depends on.
  package mutating func keys(of event: EventFields) -> MeaningKeys {
    withUnsafePointer(to: event) { details[type(of: $0)].keys }
  }

  /// Resolves an event whose type is known.
  @inline(__always)
  mutating func resolve(_ event: UnsafePointer<EventFields>, type: Int) -> Resolution {
    let facts = types.facts + type
    guard facts.pointee.isConditional else {
      return Resolution(isClaimed: facts.pointee.isClaimed, meaning: facts.pointee.meaning)
    }
    return resolveConditional(event.pointee, type: type)
  }

  /// Returns the cached facts about a type.
  @inline(__always)
  func facts(of type: Int) -> UnsafeMutablePointer<EventTypes.Facts> { types.facts + type }

  private mutating func resolveConditional(_ event: EventFields, type: Int) -> Resolution {
    var hasher = SipHasher()
    hasher.combine(UInt64(type))
    for key in details[type].keys.props { (event.property(key) ?? .null).combine(into: &hasher) }
    for key in details[type].keys.context { (event.contextValue(key) ?? .null).combine(into: &hasher) }
    let key = hasher.finish()
    if let known = conditionalResolutions[key] { return known }
    let resolution = find(event, detail: details[type])
    // Hostile input may contain a new value in every event, so the cache is bounded.
    if conditionalResolutions.count >= EventTypes.countMax { conditionalResolutions.removeAll() }
    conditionalResolutions[key] = resolution
    return resolution
  }

  /// Resolves an event in each candidate flow, by the version that applies to the event's app version.
  private mutating func find(_ event: EventFields, detail: TypeDetail) -> Resolution {
    var claims: [EventClassTable.Claim] = []
    var isClaimed = false
    let appVersion = event.contextValue(Self.appVersionKey).flatMap { DottedVersion($0.propertyValue.description) }
    for (candidate, readings) in detail.candidates {
      guard let reading = readings[candidate.version(forApp: appVersion)] else { continue }
      isClaimed = isClaimed || reading.isDeclared
      claims += reading.claims(wanted) { event.value(of: $0) }
    }
    return Resolution(isClaimed: isClaimed, meaning: number(of: claims))
  }

  private mutating func number(of claims: [EventClassTable.Claim]) -> UInt32 {
    if let number = meaningNumbers[claims] { return number }
    let number = UInt32(meanings.count)
    meanings.append(claims)
    meaningNumbers[claims] = number
    return number
  }

  private static let appVersionKey = "app_version"

  /// Returns the violation of the property schemas of the flow versions that fold the event, or nil if there is none.
  ///
  /// If the event names a flow, that flow alone decides. Otherwise the event is rejected only if every flow that folds it rejects it, so
  /// that adding a flow does not take events away from others.
  @inline(__always)
  mutating func violation(by event: UnsafePointer<EventFields>, type: Int) -> String? {
    types.facts[type].hasSchemas ? schemaViolation(by: event, type: type) : nil
  }

  private mutating func schemaViolation(by event: UnsafePointer<EventFields>, type: Int) -> String? {
    let resolution = resolve(event, type: type)
    let flows = flows(of: resolution)
    let detail = details[type]
    var first: String?
    for flow in flows where !catalog.adHocIndices.contains(flow) {
      if detail.namesFlow, !detail.candidates.contains(where: { $0.candidate.isNamed && $0.candidate.versions.contains(flow) })
      {
        continue
      }
      let violation = detail.validators[flow]?.violation { event.pointee.property($0)?.propertyValue }
      guard let violation else { return nil }
      first = first ?? violation
    }
    return first
  }

  /// Returns the number of an event's type, which is valid until the type of the next event is looked up.
  @inline(__always)
  mutating func type(of event: UnsafePointer<EventFields>) -> Int {
    if let number = knownType(of: event) { return number }
    return findType(of: event, isValid: true)!
  }

  /// Returns the number of the type of an event whose names have not been validated, or nil if a name is invalid or a step is missing.
  @inline(__always)
  mutating func typeIfValid(of event: UnsafePointer<EventFields>) -> Int? {
    if let number = knownType(of: event) { return number }
    return findType(of: event, isValid: false)
  }

  @inline(__always)
  private func knownType(of event: UnsafePointer<EventFields>) -> Int? {
    event.pointee.typeKey != 0 ? types.number(ofKey: event.pointee.typeKey) : nil
  }

  /// Looks up the type of an event by its text and adds it if it is new; returns nil if it is new, its names are invalid and `isValid` is
  /// false.
  private mutating func findType(of event: UnsafePointer<EventFields>, isValid: Bool) -> Int? {
    let hash = EventTypes.hash(of: event)
    let number: Int
    if let known = types.number(of: event, hash: hash) {
      number = known
    } else {
      guard isValid || event.pointee.hasValidNames else { return nil }
      number = addType(of: event, hash: hash)
    }
    types.note(number, ofKey: event.pointee.typeKey)
    return number
  }

  private mutating func addType(of event: UnsafePointer<EventFields>, hash: UInt64) -> Int {
    if types.count >= EventTypes.countMax {
      types.removeAll()
      details.removeAll()
      conditionalResolutions.removeAll()
    }
    let detail = detail(of: event.pointee)
    var hasher = SipHasher()
    hasher.combine(event.pointee.app)
    hasher.combine(event.pointee.name)
    var facts = EventTypes.Facts(
      isClaimed: false, isConditional: detail.isConditional, hasSchemas: !detail.validators.isEmpty, meaning: 0,
      identity: hasher.finish())
    if !facts.isConditional {
      let resolution = find(event.pointee, detail: detail)
      facts.isClaimed = resolution.isClaimed
      facts.meaning = resolution.meaning
    }
    details.append(detail)
    return types.add(event, hash: hash, facts: facts)
  }

  private func detail(of event: EventFields) -> TypeDetail {
    let (flow, name, step) = (event.flow?.text, event.name.text, event.step?.text)
    var detail = TypeDetail()
    detail.namesFlow = flow != nil
    for candidate in catalog.candidates(app: event.app.text, flow: flow, version: event.flowVersion.map { Int($0) }) {
      var readings: [Int: FlowReading] = [:]
      let versions = candidate.dependsOnAppVersion ? candidate.versions : [candidate.versions[0]]
      for version in versions
      where wantedFlows?.contains(version) ?? true && catalog.folds(version, of: candidate, flow: flow, name: name, step: step)
      {
        var reading = FlowReading(flow: version, name: name, step: step, in: catalog)
        reading.namesVersion = candidate.isNamed && event.flowVersion != nil
        reading.insertKeys(into: &detail.keys, wanted)
        readings[version] = reading
        detail.validators[version] = schemas[version].rules(event: name, step: step)
      }
      if candidate.dependsOnAppVersion, !readings.isEmpty { detail.keys.insert(.context(Self.appVersionKey)) }
      if !readings.isEmpty { detail.candidates.append((candidate, readings)) }
    }
    return detail
  }
}

extension EventFields {
  /// Returns the value of a field as conditions and upcasts read it; null if the event has none.
  fileprivate func value(of field: EventField) -> PropertyValue {
    switch field {
    case .property(let key): property(key)?.propertyValue ?? .null
    case .context(let key): contextValue(key)?.propertyValue ?? .null
    case .step: step.map { .string($0.text) } ?? .null
    }
  }
}
