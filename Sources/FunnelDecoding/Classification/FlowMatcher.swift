package import FunnelModel

/// Finds the flow versions that an event belongs to, and the event's class in each (specification sections 1 and 6).
///
///     var matcher = FlowMatcher(catalog: catalog)
///     let resolution = matcher.resolve(event)
///     for match in matcher.flowMatches(of: resolution) { count(match.entry.kind, in: match.entry.flow) }
///
/// A log contains few distinct event types, so results are cached by event type. If a flow has conditions on
/// properties or context, the values of those keys are a part of the cache key. Not thread-safe: each worker
/// owns one.
package struct FlowMatcher {
  /// The result for one event.
  package struct Resolution {
    /// Whether a flow version declares the event, or no flow needs to (``UserLinkEvent``).
    package var isDeclared: Bool
    /// The index of the event's flow matches in ``flowMatchLists``, or 0 if the event belongs to no flow version.
    package var matchListID: UInt32

    /// Whether the event belongs to a flow version.
    package var isFolded: Bool { matchListID != 0 }
  }

  let catalog: FlowCatalog
  /// The property schemas of the flow versions, by index in the catalog.
  let schemas: [CompiledPropertySchemas]
  let wanted: RequestedFields
  /// The indices in the catalog of the flow versions to match, or `nil` for all.
  let wantedFlows: Set<Int>?
  let types = EventTypes()
  /// The details of each type, by its number.
  var details: [TypeDetail] = []
  /// The results for conditional types, by a hash of the type and the values of its keys.
  var conditionalResolutions: [Hash128: Resolution] = [:]
  /// The indices of the lists in ``flowMatchLists``.
  private var matchListIndices: [[EventClassTable.FlowMatch]: UInt32] = [[]: 0]
  /// The distinct lists of flow matches of all events resolved so far, indexed by ``Resolution/matchListID``. The
  /// first list is empty.
  package private(set) var flowMatchLists: [[EventClassTable.FlowMatch]] = [[]]

  /// Creates a matcher for the definitions of a catalog.
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

  /// Returns the flow matches of an event. Its names must be valid.
  package mutating func resolve(_ event: EventFields) -> Resolution {
    EventReference.with(event) { resolve($0, type: type(of: $0)) }
  }

  /// Returns the keys that the flow matches of events of this event's type depend on.
  package mutating func keys(of event: EventFields) -> MatchKeys {
    EventReference.with(event) { details[type(of: $0)].keys }
  }

  /// Returns the flow matches of an event that was resolved.
  package func flowMatches(of resolution: Resolution) -> [EventClassTable.FlowMatch] {
    flowMatchLists[Int(resolution.matchListID)]
  }

  /// Returns the flow versions that an event belongs to, as indices in the catalog, each once.
  package func flows(of resolution: Resolution) -> [Int] {
    var flows: [Int] = []
    // The matches of one flow version are adjacent.
    for match in flowMatches(of: resolution) where flows.last != Int(match.entry.flow) {
      flows.append(Int(match.entry.flow))
    }
    return flows
  }

  /// Returns the flow matches of an event of a known type.
  @inline(__always)
  mutating func resolve(_ event: EventReference, type: Int) -> Resolution {
    let facts = facts.reference(to: type)
    guard facts.value.isConditional else {
      return Resolution(isDeclared: facts.value.isDeclared, matchListID: facts.value.matchListID)
    }
    return resolveConditional(event.fields, type: type)
  }

  private mutating func resolveConditional(_ event: EventFields, type: Int) -> Resolution {
    var hasher = SipHasher()
    hasher.combine(UInt64(type))
    for key in details[type].keys.props { (event.property(key) ?? .null).combine(into: &hasher) }
    for key in details[type].keys.context { (event.contextValue(key) ?? .null).combine(into: &hasher) }
    let key = hasher.finish()
    if let known = conditionalResolutions[key] { return known }
    let resolution = match(event, details[type])
    // Malicious input may contain a new value in every event, so the cache is bounded.
    if conditionalResolutions.count >= EventTypes.countMax { conditionalResolutions.removeAll() }
    conditionalResolutions[key] = resolution
    return resolution
  }

  /// Matches an event against the candidate flows. If a flow has several versions, the event's app version selects one.
  mutating func match(_ event: EventFields, _ detail: TypeDetail) -> Resolution {
    var flowMatches: [EventClassTable.FlowMatch] = []
    var isDeclared = event.isUserLink
    let appVersion = event.contextValue(Self.appVersionKey).flatMap { DottedVersion($0.propertyValue.description) }
    for (choice, readings) in detail.candidates {
      guard let reading = readings[choice.version(forApp: appVersion)] else { continue }
      isDeclared = isDeclared || reading.isDeclared
      flowMatches += reading.flowMatches(wanted) { event.value(of: $0) }
    }
    return Resolution(isDeclared: isDeclared, matchListID: findOrInsertList(flowMatches))
  }

  /// The key of the context that selects the version of a flow.
  static let appVersionKey = "app_version"

  /// Returns the index of a list of flow matches in ``flowMatchLists``, adding the list if it is new.
  private mutating func findOrInsertList(_ flowMatches: [EventClassTable.FlowMatch]) -> UInt32 {
    if let index = matchListIndices[flowMatches] { return index }
    let index = UInt32(flowMatchLists.count)
    flowMatchLists.append(flowMatches)
    matchListIndices[flowMatches] = index
    return index
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
