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
  }

  private struct Claim {
    var flow: Int
    var isClaimed: Bool
    var upcast: FlowDefinition.Upcast?
    var meaning: EventMeaning?
    var schemas: [String: CompiledPropertySchema]?
  }

  private let catalog: FlowCatalog
  private let schemas: [CompiledPropertySchemas]
  private var claims: [Hash128: Claim] = [:]
  private var meanings: [Hash128: EventMeaning] = [:]

  package init(catalog: FlowCatalog) {
    self.catalog = catalog
    schemas = catalog.definitions.map(CompiledPropertySchemas.init)
  }

  /// What an event means.
  package mutating func resolve(_ event: EventFields) -> Resolution {
    let claim = claim(for: event)
    guard claim.flow >= 0 else { return Resolution(flow: -1, isClaimed: false, kind: .other) }
    let meaning = claim.meaning ?? meaning(of: event, flow: claim.flow, upcast: claim.upcast)
    return Resolution(flow: claim.flow, isClaimed: claim.isClaimed, kind: meaning.kind(of: event))
  }

  /// What is wrong with the event's properties by the schemas of the flow version it belongs to; nil where nothing is.
  package mutating func violation(by event: EventFields) -> String? {
    guard let schemas = claim(for: event).schemas else { return nil }
    for property in event.props {
      let key = property.key.text
      if let violation = schemas[key]?.violation(of: property.value.propertyValue, key: key) { return violation }
    }
    return nil
  }

  private mutating func claim(for event: EventFields) -> Claim {
    var hasher = SipHasher()
    hasher.combine(event.app)
    hasher.combine(event.name)
    hasher.combine(event.flow ?? UnsafeRawBufferPointer(start: nil, count: 0))
    hasher.combine(UInt64(bitPattern: event.flowVersion ?? 0))
    hasher.combine(event.step ?? UnsafeRawBufferPointer(start: nil, count: 0))
    let key = hasher.finish()
    if let claim = claims[key] { return claim }
    let claim = makeClaim(for: event)
    // Hostile input may name a new step every time; what is kept stays small.
    if claims.count >= Self.cacheEntriesMax { claims.removeAll() }
    claims[key] = claim
    return claim
  }

  private static let cacheEntriesMax = 65_536

  private func makeClaim(for event: EventFields) -> Claim {
    let none = Claim(flow: -1, isClaimed: false, upcast: nil, meaning: nil, schemas: nil)
    let app = event.app.text
    let name = event.name.text
    let step = event.step?.text
    let flow: String
    if let named = event.flow {
      flow = named.text
    } else {
      let declaring = catalog.flows(ofApp: app, declaring: name, step: step)
      guard declaring.count == 1 else { return none }
      flow = declaring[0]
    }
    guard let index = catalog.index(app: app, flow: flow, version: event.flowVersion.map { Int($0) }) else { return none }
    let definition = catalog.definitions[index]
    var claim = Claim(
      flow: index, isClaimed: catalog.declares(index, name: name, step: step), upcast: nil, meaning: nil,
      schemas: schemas[index][name])
    if let upcast = definition.upcasts.first(where: { $0.from == name }) {
      claim.upcast = upcast
    } else {
      claim.meaning = EventMeaning(name: name, step: step, in: definition)
    }
    return claim
  }

  /// The meaning of an event that is read as another one, by the properties it carries.
  private mutating func meaning(of event: EventFields, flow: Int, upcast: FlowDefinition.Upcast?) -> EventMeaning {
    let name = upcast?.name ?? event.name.text
    let step: String?
    switch upcast?.step {
    case .literal(let text): step = text
    case .property(let key): if case .string(let text) = event.property(key) { step = text.text } else { step = nil }
    case nil: step = event.step?.text
    }
    var hasher = SipHasher()
    hasher.combine(UInt64(flow))
    for text in [name, step ?? ""] { Array(text.utf8).withUnsafeBytes { hasher.combine($0) } }
    let key = hasher.finish()
    if let meaning = meanings[key] { return meaning }
    let meaning = EventMeaning(name: name, step: step, in: catalog.definitions[flow])
    if meanings.count >= Self.cacheEntriesMax { meanings.removeAll() }
    meanings[key] = meaning
    return meaning
  }
}
