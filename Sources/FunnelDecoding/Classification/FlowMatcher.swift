package import FunnelModel

/// Finds the flow versions that an event belongs to, and the event's class in each (specification sections 1 and 6).
///
/// A log contains few distinct event types, so results are cached by event type. If a flow has conditions on
/// properties or context, the values of those keys are a part of the cache key. Not thread-safe: each worker
/// owns one.
package struct FlowMatcher {
  /// The result for one event.
  package struct Resolution {
    /// Whether a flow version declares the event.
    package var isDeclared: Bool
    /// The index of the event's flow matches in ``flowMatchLists``, or 0 if the event belongs to no flow version.
    package var matchListID: UInt32

    /// Whether the event belongs to a flow version.
    package var isFolded: Bool { matchListID != 0 }
  }

  /// The flows and schemas that apply to one event type.
  private struct TypeDetail {
    /// The flows that the events may belong to, each with the conversions of its versions, by index in the catalog.
    var candidates: [(candidate: FlowVersionChoice, readings: [Int: FlowReading])] = []
    /// The keys whose values the flow matches depend on.
    var keys = MatchKeys()
    /// Whether the events name their flow. If so, only that flow decides whether they are valid.
    var namesFlow = false
    /// The rules that the flow versions define for the events' properties, by index in the catalog.
    var validators: [Int: EventPropertyRules] = [:]

    /// Whether the flow matches of an event depend on more than its type.
    var isConditional: Bool { !keys.isEmpty }
  }

  private let catalog: FlowCatalog
  /// The property schemas of the flow versions, by index in the catalog.
  private let schemas: [CompiledPropertySchemas]
  private let wanted: RequestedFields
  /// The indices in the catalog of the flow versions to match, or `nil` for all.
  private let wantedFlows: Set<Int>?
  private let types = EventTypes()
  /// The details of each type, by its number.
  private var details: [TypeDetail] = []
  /// The results for conditional types, by a hash of the type and the values of its keys.
  private var conditionalResolutions: [Hash128: Resolution] = [:]
  /// The indices of the lists in ``flowMatchLists``.
  private var matchListIndices: [[EventClassTable.FlowMatch]: UInt32] = [[]: 0]
  /// The distinct lists of flow matches of all events resolved so far, indexed by ``Resolution/matchListID``. The
  /// first list is empty.
  package private(set) var flowMatchLists: [[EventClassTable.FlowMatch]] = [[]]

  /// Creates a resolver for the definitions of a catalog.
  ///
  /// - Parameters:
  ///   - dimensions: The stored dimensions that flow matches contain if an upcast sets them.
  ///   - details: Whether flow matches contain an ``EventDetail``.
  ///   - flows: The indices in the catalog of the flow versions to match, or `nil` for all.
  package init(catalog: FlowCatalog, dimensions: [Dimension] = [], details: Bool = false, flows: Set<Int>? = nil) {
    self.catalog = catalog
    wantedFlows = flows
    schemas = catalog.definitions.map(CompiledPropertySchemas.init)
    wanted = RequestedFields(dimensions: dimensions, details: details)
  }

  /// Returns the flow versions that an event belongs to, as indices in the catalog, each once.
  package func flows(of resolution: Resolution) -> [Int] {
    var flows: [Int] = []
    // The matches of one flow version are adjacent.
    for claim in flowMatchLists[Int(resolution.matchListID)] where flows.last != Int(claim.entry.flow) {
      flows.append(Int(claim.entry.flow))
    }
    return flows
  }

  /// Returns the flow matches of an event. Its names must be valid.
  package mutating func resolve(_ event: EventFields) -> Resolution {
    withUnsafePointer(to: event) { resolve($0, type: type(of: $0)) }
  }

  /// Returns the keys that the flow matches of events of this event's type depend on.
  package mutating func keys(of event: EventFields) -> MatchKeys {
    withUnsafePointer(to: event) { details[type(of: $0)].keys }
  }

  /// Returns the flow matches of an event of a known type.
  @inline(__always)
  mutating func resolve(_ event: UnsafePointer<EventFields>, type: Int) -> Resolution {
    let facts = types.facts + type
    guard facts.pointee.isConditional else {
      return Resolution(isDeclared: facts.pointee.isDeclared, matchListID: facts.pointee.matchListID)
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
    // Malicious input may contain a new value in every event, so the cache is bounded.
    if conditionalResolutions.count >= EventTypes.countMax { conditionalResolutions.removeAll() }
    conditionalResolutions[key] = resolution
    return resolution
  }

  /// Matches an event against the candidate flows. If a flow has several versions, the event's app version selects one.
  private mutating func find(_ event: EventFields, detail: TypeDetail) -> Resolution {
    var flowMatches: [EventClassTable.FlowMatch] = []
    var isDeclared = false
    let appVersion = event.contextValue(Self.appVersionKey).flatMap { DottedVersion($0.propertyValue.description) }
    for (candidate, readings) in detail.candidates {
      guard let reading = readings[candidate.version(forApp: appVersion)] else { continue }
      isDeclared = isDeclared || reading.isDeclared
      flowMatches += reading.flowMatches(wanted) { event.value(of: $0) }
    }
    return Resolution(isDeclared: isDeclared, matchListID: number(of: flowMatches))
  }

  /// Returns the index of a list of flow matches in ``flowMatchLists``, adding the list if it is new.
  private mutating func number(of flowMatches: [EventClassTable.FlowMatch]) -> UInt32 {
    if let number = matchListIndices[flowMatches] { return number }
    let number = UInt32(flowMatchLists.count)
    flowMatchLists.append(flowMatches)
    matchListIndices[flowMatches] = number
    return number
  }

  private static let appVersionKey = "app_version"

  /// Returns a message about a property that violates the schemas of the event's flow versions, or `nil` if the
  /// event is valid.
  ///
  /// If the event names a flow, only the schemas of that flow apply. Otherwise the event is invalid only if
  /// every flow version rejects it: adding a flow must not remove events from other flows.
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

  /// Returns the number of an event's type, adding the type if it is new. The number is valid until the next
  /// lookup, which may clear the table.
  @inline(__always)
  mutating func type(of event: UnsafePointer<EventFields>) -> Int {
    if let number = knownType(of: event) { return number }
    return findType(of: event, isValid: true)!
  }

  /// Returns the number of an event's type, or `nil` if a name is invalid or a step event has no step.
  @inline(__always)
  mutating func typeIfValid(of event: UnsafePointer<EventFields>) -> Int? {
    if let number = knownType(of: event) { return number }
    return findType(of: event, isValid: false)
  }

  @inline(__always)
  private func knownType(of event: UnsafePointer<EventFields>) -> Int? {
    event.pointee.typeKey != 0 ? types.number(ofKey: event.pointee.typeKey) : nil
  }

  /// Looks up the type of an event by its names, and adds it if it is new.
  ///
  /// - Parameter isValid: Whether the names are known to be valid. Only the names of a new type are checked otherwise.
  /// - Returns: The number of the type, or `nil` if a name is invalid.
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
      isDeclared: false, isConditional: detail.isConditional, hasSchemas: !detail.validators.isEmpty, matchListID: 0,
      identity: hasher.finish())
    if !facts.isConditional {
      let resolution = find(event.pointee, detail: detail)
      facts.isDeclared = resolution.isDeclared
      facts.matchListID = resolution.matchListID
    }
    details.append(detail)
    return types.add(event, hash: hash, facts: facts)
  }

  /// Returns the flows and schemas that apply to an event's type.
  private func detail(of event: EventFields) -> TypeDetail {
    let flow = event.flow?.text
    let name = event.name.text
    let step = event.step?.text
    var detail = TypeDetail()
    detail.namesFlow = flow != nil
    for candidate in catalog.versionChoices(app: event.app.text, flow: flow, version: event.flowVersion.map { Int($0) }) {
      var readings: [Int: FlowReading] = [:]
      for version in candidate.versions
      where wantedFlows?.contains(version) ?? true
        && catalog.aggregates(version, of: candidate, flow: flow, name: name, step: step)
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
  /// Returns the value of a field as conditions and upcasts read it, or null if the event does not have the field.
  fileprivate func value(of field: EventField) -> PropertyValue {
    switch field {
    case .property(let key): property(key)?.propertyValue ?? .null
    case .context(let key): contextValue(key)?.propertyValue ?? .null
    case .step: step.map { .string($0.text) } ?? .null
    }
  }
}
