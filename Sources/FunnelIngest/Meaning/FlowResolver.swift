package import FunnelModel

/// Finds what an event means: the flow versions that fold it, whether one of them declares it, and what it is to each (specification sections 1 and 6).
///
/// Few different events occur in a log, so answers are kept by what they depend on: the event's type, and the values of the keys that
/// matter to the flows that may fold it. Not to be shared between threads.
package struct FlowResolver {
  /// What an event means.
  package struct Resolution {
    /// Whether a flow version declares the event.
    package var isClaimed: Bool
    /// The number of the event's claims in ``meanings``; 0 if no flow folds it.
    package var meaning: UInt32

    /// Whether a flow version folds the event.
    package var isFolded: Bool { meaning != 0 }
  }

  /// What is known of a type whose events do not all mean the same, or must have certain properties.
  private struct TypeDetail {
    /// The flows that may fold the events, each with the readings of its versions.
    var candidates: [(candidate: FlowCandidate, readings: [Int: FlowReading])] = []
    /// What tells the meanings of the events apart.
    var keys = MeaningKeys()
    /// Whether the events name their flow: then they must be as that flow wants them, whatever others say.
    var namesFlow = false
    /// What the flow versions demand of the events' properties.
    var validators: [Int: EventPropertyRules] = [:]

    /// Whether what an event means depends on more than its type.
    var isConditional: Bool { !keys.isEmpty }
  }

  private let catalog: FlowCatalog
  private let schemas: [CompiledPropertySchemas]
  private let wantedProps: Set<String>
  private let wantedFlows: Set<Int>?
  private let types = EventTypes()
  /// By the number of the type.
  private var details: [TypeDetail] = []
  private var conditionalResolutions: [Hash128: Resolution] = [:]
  private var meaningNumbers: [[KindTable.Claim]: UInt32] = [[]: 0]
  /// The claims of all events resolved so far, by ``Resolution/meaning``.
  package private(set) var meanings: [[KindTable.Claim]] = [[]]

  /// Makes a resolver for the definitions of a catalog.
  ///
  /// - Parameters:
  ///   - dimensions: The stored dimensions whose values are wanted as the flows read them.
  ///   - flows: Indices in the catalog of the flow versions whose claims are wanted, or nil for all.
  package init(catalog: FlowCatalog, dimensions: [Dimension] = [], flows: Set<Int>? = nil) {
    self.catalog = catalog
    wantedFlows = flows
    schemas = catalog.definitions.map(CompiledPropertySchemas.init)
    wantedProps = Set(dimensions.compactMap { if case .property(let key) = $0 { key } else { nil } })
  }

  /// The flow versions that fold an event, as indices in the catalog, each once.
  package func flows(of resolution: Resolution) -> [Int] {
    var flows: [Int] = []
    for claim in meanings[Int(resolution.meaning)] where flows.last != Int(claim.entry.flow) {
      flows.append(Int(claim.entry.flow))
    }
    return flows
  }

  /// What an event means.
  package mutating func resolve(_ event: EventFields) -> Resolution {
    withUnsafePointer(to: event) { resolve($0, type: type(of: $0)) }
  }

  /// The keys on which it depends what events of an event's type mean.
  package mutating func keys(of event: EventFields) -> MeaningKeys {
    withUnsafePointer(to: event) { details[type(of: $0)].keys }
  }

  /// What an event of a type means.
  @inline(__always)
  mutating func resolve(_ event: UnsafePointer<EventFields>, type: Int) -> Resolution {
    let facts = types.facts + type
    guard facts.pointee.isConditional else {
      return Resolution(isClaimed: facts.pointee.isClaimed, meaning: facts.pointee.meaning)
    }
    return resolveConditional(event.pointee, type: type)
  }

  /// What is known of a type.
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
    // Hostile input may bring a new value every time.
    if conditionalResolutions.count >= EventTypes.countMax { conditionalResolutions.removeAll() }
    conditionalResolutions[key] = resolution
    return resolution
  }

  /// Asks the version that each candidate chooses for the event's build what it makes of the event.
  private mutating func find(_ event: EventFields, detail: TypeDetail) -> Resolution {
    var claims: [KindTable.Claim] = []
    var isClaimed = false
    let appVersion = event.contextValue(Self.appVersionKey).flatMap { DottedVersion($0.propertyValue.description) }
    for (candidate, readings) in detail.candidates {
      guard let reading = readings[candidate.version(forApp: appVersion)] else { continue }
      isClaimed = isClaimed || reading.isDeclared
      claims += reading.claims(wanted: wantedProps) { event.value(of: $0) }
    }
    return Resolution(isClaimed: isClaimed, meaning: number(of: claims))
  }

  private mutating func number(of claims: [KindTable.Claim]) -> UInt32 {
    if let number = meaningNumbers[claims] { return number }
    let number = UInt32(meanings.count)
    meanings.append(claims)
    meaningNumbers[claims] = number
    return number
  }

  private static let appVersionKey = "app_version"

  /// What is wrong with the event's properties by the schemas of the flow versions that fold it, or nil if nothing is.
  ///
  /// The flow that an event names decides alone. An event that names none is refused if every flow that folds it refuses it: a flow that
  /// is added must not take events away from others.
  @inline(__always)
  mutating func violation(by event: UnsafePointer<EventFields>, type: Int) -> String? {
    types.facts[type].hasSchemas ? schemaViolation(by: event, type: type) : nil
  }

  private mutating func schemaViolation(by event: UnsafePointer<EventFields>, type: Int) -> String? {
    let resolution = resolve(event, type: type)
    let flows = flows(of: resolution)
    let detail = details[type]
    var first: String?
    for flow in flows {
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

  /// The number of an event's type, good until the next event's.
  @inline(__always)
  mutating func type(of event: UnsafePointer<EventFields>) -> Int {
    if let number = knownType(of: event) { return number }
    return findType(of: event, isValid: true)!
  }

  /// The number of the type of an event whose names were not looked at yet, or nil if one is no name, or a step is missing.
  @inline(__always)
  mutating func typeIfValid(of event: UnsafePointer<EventFields>) -> Int? {
    if let number = knownType(of: event) { return number }
    return findType(of: event, isValid: false)
  }

  @inline(__always)
  private func knownType(of event: UnsafePointer<EventFields>) -> Int? {
    event.pointee.typeKey != 0 ? types.number(ofKey: event.pointee.typeKey) : nil
  }

  /// The number of an event's type by its words, or nil if it is new, `isValid` does not say that the names are fine, and they are not.
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
        let reading = FlowReading(flow: version, name: name, step: step, in: catalog)
        reading.insertKeys(into: &detail.keys, wanted: wantedProps)
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
  /// The value of a field as conditions and upcasts see it; null if the event has none.
  fileprivate func value(of field: EventField) -> PropertyValue {
    switch field {
    case .property(let key): property(key)?.propertyValue ?? .null
    case .context(let key): contextValue(key)?.propertyValue ?? .null
    case .step: step.map { .string($0.text) } ?? .null
    }
  }
}
