import FunnelModel

/// The way one flow version reads the events of one name and step: unchanged, or through an upcast as one or more events.
struct FlowReading {
  /// The index of the flow version in the catalog.
  let flow: Int
  /// Whether the flow version declares the events.
  let isDeclared: Bool
  /// Whether the events name the flow and its version.
  var namesVersion = false
  private let stepCount: Int
  private let targets: [Target]

  /// An event that the logged one is read as.
  private struct Target {
    let name: String
    /// The step if it is the same for all events.
    let knownStep: String?
    let step: Step
    let props: [String: FlowDefinition.UpcastValue]
    let definition: FlowDefinition

    enum Step {
      /// All events have the same step, so their meaning is known in advance.
      case same(EventMeaning)
      /// The step is taken from a value of the event.
      case value(FlowDefinition.UpcastValue)
    }
  }

  init(flow index: Int, name: String, step: String?, in catalog: FlowCatalog) {
    let definition = catalog.definitions[index]
    flow = index
    isDeclared = catalog.declares(index, name: name, step: step)
    stepCount = definition.steps.count
    let upcast = definition.upcasts.first { $0.from == name }
    targets = (upcast?.targets ?? [FlowDefinition.UpcastTarget(name: name)]).map { target in
      let known: String?
      switch target.step {
      case .literal(let value): known = value.text
      case .field(.step), nil: known = step
      case .mapped(.step, let mapping): known = mapping.step(for: step.map(PropertyValue.string))
      case .field, .mapped:
        return Target(
          name: target.name, knownStep: nil, step: .value(target.step!), props: target.props, definition: definition)
      }
      return Target(
        name: target.name, knownStep: known, step: .same(EventMeaning(name: target.name, step: known, in: definition)),
        props: target.props, definition: definition)
    }
  }

  /// Adds the keys that the meaning of the events depends on.
  ///
  /// - Parameter wanted: What claims carry; the properties among it also matter if the flow version reads them differently from how they
  ///   were logged.
  func insertKeys(into keys: inout MeaningKeys, _ wanted: WantedMeaning) {
    for target in targets {
      func insert(_ field: EventField) {
        if case .property(let key) = field, let value = target.props[key] {
          value.source.map { keys.insert($0) }
        } else {
          keys.insert(field)
        }
      }
      switch target.step {
      case .same(let meaning): meaning.fields.forEach(insert)
      case .value(let value):
        value.source.map { keys.insert($0) }
        // The step is not known in advance, so the conditions of every step may matter.
        target.definition.conditionFields(of: target.name).forEach(insert)
      }
      for (key, value) in target.props where wanted.props.contains(key) || wanted.allProps {
        value.source.map { keys.insert($0) }
      }
      if wanted.details {
        for key in target.definition.factKeys(ofEvent: target.name) { insert(.property(key)) }
      }
    }
  }

  /// Returns the claims of the flow version on an event: one for each event it is read as, in the order in which they count.
  ///
  /// - Parameters:
  ///   - wanted: What the claims carry besides kinds.
  ///   - logged: The values of the event as it was logged.
  func claims(_ wanted: WantedMeaning, _ logged: (EventField) -> PropertyValue) -> [EventClassTable.Claim] {
    let claims = targets.map { target in
      let changed = target.props.mapValues { $0.value(logged) }
      func value(of field: EventField) -> PropertyValue {
        if case .property(let key) = field, let value = changed[key] { return value }
        return logged(field)
      }
      let (step, meaning) =
        switch target.step {
        case .same(let meaning): (target.knownStep, meaning)
        case .value(let value):
          (value.value(logged).text, EventMeaning(name: target.name, step: value.value(logged).text, in: target.definition))
        }
      let kind = meaning.kind(value)
      var entry = EventClassTable.Entry(flow: Int32(flow), kind: kind)
      if wanted.details {
        let facts = target.definition.facts(name: target.name, step: step, kind: kind, namesVersion: namesVersion) {
          value(of: .property($0))
        }
        entry.detail = EventDetail(name: target.name, step: step, flow: target.definition, facts: facts)
      }
      return EventClassTable.Claim(entry, props: changed.filter { wanted.props.contains($0.key) || wanted.allProps })
    }
    guard claims.count > 1 else { return claims }
    // The claims on one event are sorted by the steps they enter, like events of one moment (`EventOrder`, in a module above this one). The
    // offset keeps the order of equal elements, because the standard library's sort does not promise to be stable.
    return claims.enumerated().sorted { a, b in
      let (rankA, rankB) = (
        a.element.entry.kind.tieRank(stepCount: stepCount), b.element.entry.kind.tieRank(stepCount: stepCount)
      )
      return (rankA, a.offset) < (rankB, b.offset)
    }.map(\.element)
  }
}

extension FlowDefinition.UpcastMapping {
  /// Returns the step id that an event's value maps to, or nil if it maps to none.
  fileprivate func step(for logged: PropertyValue?) -> String? { value(for: logged ?? .null).text }
}

extension FlowDefinition.UpcastValue {
  /// The field of the event that the value is taken from, or nil if the value is the same for all events.
  fileprivate var source: EventField? {
    switch self {
    case .literal: nil
    case .field(let field), .mapped(let field, _): field
    }
  }

  fileprivate func value(_ logged: (EventField) -> PropertyValue) -> PropertyValue {
    switch self {
    case .literal(let value): value
    case .field(let field): logged(field)
    case .mapped(let field, let mapping): mapping.value(for: logged(field))
    }
  }
}

extension FlowDefinition {
  /// Returns the fields that the meaning of an event of a given name depends on, whatever its step.
  fileprivate func conditionFields(of name: String) -> [EventField] {
    let patterns = steps.flatMap { step -> [EventPattern] in
      if case .event(let patterns) = step.kind { patterns } else { [] }
    }
    return patterns.filter { $0.event == name }.flatMap { $0.conditions.map(\.field) }
      + outcomes.filter { $0.events.contains(name) }.flatMap { $0.conditions.map(\.field) }
  }
}

extension PropertyValue {
  /// The text of a string, or nil if the value is not a string.
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}
