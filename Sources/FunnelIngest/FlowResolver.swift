package import FunnelModel

/// Finds what an event means: the flow version it belongs to, whether that one declares it, and its kind there (contract sections 1 and 6).
///
/// Few different events occur in a log, so answers are kept by what they depend on. Not to be shared between threads.
package struct FlowResolver {
  /// What an event means.
  package struct Resolution {
    /// Index of the flow version in the catalog, or -1 where the event belongs to none.
    package var flow: Int
    /// Whether the flow version declares the event.
    package var isClaimed: Bool
    /// What the event means to the flow.
    package var kind: EventKind
    /// The number of (flow, kind) in ``meanings``; 0 where the event belongs to no flow.
    package var meaning: UInt32
  }

  /// What of a type's meaning has to be looked up again for each event.
  private struct Claim {
    var upcast: FlowDefinition.Upcast?
    var meaning: EventMeaning?
    var schemas: [String: CompiledPropertySchema]?
  }

  private let catalog: FlowCatalog
  private let schemas: [CompiledPropertySchemas]
  private let types = EventTypes()
  /// By the number of the type.
  private var claims: [Claim] = []
  private var upcastMeanings: [Hash128: EventMeaning] = [:]
  private var meaningTable = KindTable()

  package init(catalog: FlowCatalog) {
    self.catalog = catalog
    schemas = catalog.definitions.map(CompiledPropertySchemas.init)
  }

  /// The (flow, kind) of all events resolved so far, by ``Resolution/meaning``.
  package var meanings: [KindTable.Entry] { meaningTable.entries }

  /// What an event means.
  package mutating func resolve(_ event: EventFields) -> Resolution {
    withUnsafePointer(to: event) { resolve($0, type: type(of: $0)) }
  }

  /// What an event of a type means.
  @inline(__always)
  mutating func resolve(_ event: UnsafePointer<EventFields>, type: Int) -> Resolution {
    let facts = types.facts + type
    guard facts.pointee.isConditional else {
      return Resolution(
        flow: Int(facts.pointee.flow), isClaimed: facts.pointee.isClaimed, kind: facts.pointee.kind,
        meaning: facts.pointee.meaning)
    }
    return resolveConditional(event.pointee, type: type)
  }

  /// What is known of a type.
  @inline(__always)
  func facts(of type: Int) -> UnsafeMutablePointer<EventTypes.Facts> { types.facts + type }

  private mutating func resolveConditional(_ event: EventFields, type: Int) -> Resolution {
    let flow = Int(types.facts[type].flow)
    let kind: EventKind
    if let meaning = claims[type].meaning {
      kind = meaning.kind(of: event)
    } else {
      kind = meaning(of: event, flow: flow, upcast: claims[type].upcast).kind(of: event)
    }
    return Resolution(
      flow: flow, isClaimed: types.facts[type].isClaimed, kind: kind,
      meaning: meaningTable.code(of: KindTable.Entry(flow: Int32(flow), kind: kind)))
  }

  /// What is wrong with the event's properties by the schemas of the flow version it belongs to; nil where nothing is.
  @inline(__always)
  func violation(by event: UnsafePointer<EventFields>, type: Int) -> String? {
    types.facts[type].hasSchemas ? schemaViolation(by: event.pointee, type: type) : nil
  }

  private func schemaViolation(by event: EventFields, type: Int) -> String? {
    guard let schemas = claims[type].schemas else { return nil }
    for property in event.props {
      let key = property.key.text
      if let violation = schemas[key]?.violation(of: property.value.propertyValue, key: key) { return violation }
    }
    return nil
  }

  /// The number of an event's type, good until the next event's.
  @inline(__always)
  mutating func type(of event: UnsafePointer<EventFields>) -> Int {
    if let number = knownType(of: event) { return number }
    return findType(of: event, isValid: true)!
  }

  /// The number of the type of an event whose names were not looked at yet; nil where one is no name, or a step is missing.
  @inline(__always)
  mutating func typeIfValid(of event: UnsafePointer<EventFields>) -> Int? {
    if let number = knownType(of: event) { return number }
    return findType(of: event, isValid: false)
  }

  @inline(__always)
  private func knownType(of event: UnsafePointer<EventFields>) -> Int? {
    event.pointee.typeKey != 0 ? types.number(ofKey: event.pointee.typeKey) : nil
  }

  /// The number of an event's type by its words; nil where it is new, `isValid` does not say that the names are fine, and they are not.
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
      claims.removeAll()
    }
    let (facts, claim) = claim(of: event.pointee)
    claims.append(claim)
    return types.add(event, hash: hash, facts: facts)
  }

  private mutating func claim(of event: EventFields) -> (EventTypes.Facts, Claim) {
    var hasher = SipHasher()
    hasher.combine(event.app)
    hasher.combine(event.name)
    var facts = EventTypes.Facts(
      flow: -1, isClaimed: false, isConditional: false, hasSchemas: false, kind: .other, meaning: 0, identity: hasher.finish())
    let app = event.app.text
    let name = event.name.text
    let step = event.step?.text
    let flow: String
    let none = Claim(upcast: nil, meaning: nil, schemas: nil)
    if let named = event.flow {
      flow = named.text
    } else {
      let declaring = catalog.flows(ofApp: app, declaring: name, step: step)
      guard declaring.count == 1 else { return (facts, none) }
      flow = declaring[0]
    }
    guard let index = catalog.index(app: app, flow: flow, version: event.flowVersion.map { Int($0) }) else {
      return (facts, none)
    }
    let definition = catalog.definitions[index]
    facts.flow = Int32(index)
    facts.isClaimed = catalog.declares(index, name: name, step: step)
    var claim = Claim(upcast: nil, meaning: nil, schemas: schemas[index][name])
    facts.hasSchemas = claim.schemas != nil
    if let upcast = definition.upcasts.first(where: { $0.from == name }) {
      claim.upcast = upcast
      facts.isConditional = true
    } else {
      let meaning = EventMeaning(name: name, step: step, in: definition)
      claim.meaning = meaning
      facts.isConditional = meaning.isConditional
      facts.kind = meaning.unconditional
      if !facts.isConditional { facts.meaning = meaningTable.code(of: KindTable.Entry(flow: facts.flow, kind: facts.kind)) }
    }
    return (facts, claim)
  }

  /// The meaning of an event that is read as another one, by the properties it carries.
  private mutating func meaning(of event: EventFields, flow: Int, upcast: FlowDefinition.Upcast?) -> EventMeaning {
    let name = upcast?.targets[0].name ?? event.name.text
    let step: String?
    switch upcast?.targets[0].step {
    case .literal(.string(let text)): step = text
    case .field(.property(let key)): if case .string(let text) = event.property(key) { step = text.text } else { step = nil }
    default: step = event.step?.text
    }
    var hasher = SipHasher()
    hasher.combine(UInt64(flow))
    for text in [name, step ?? ""] { Array(text.utf8).withUnsafeBytes { hasher.combine($0) } }
    let key = hasher.finish()
    if let meaning = upcastMeanings[key] { return meaning }
    let meaning = EventMeaning(name: name, step: step, in: catalog.definitions[flow])
    if upcastMeanings.count >= EventTypes.countMax { upcastMeanings.removeAll() }
    upcastMeanings[key] = meaning
    return meaning
  }
}
