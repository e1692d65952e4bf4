import FunnelModel

/// Converts logged events of one name and step to the flow matches of one flow version.
///
/// Without an upcast, an event has one match. An upcast rewrites the event into one or more events, each with a
/// match of its own.
struct FlowReading {
  /// The index of the flow version in the catalog.
  let flow: Int
  /// Whether the flow version declares the events.
  let isDeclared: Bool
  /// Whether the events name the flow and its version.
  var namesVersion = false
  private let stepCount: Int
  private let targets: [Target]

  /// One event that the upcast produces from a logged event, or the logged event itself.
  private struct Target {
    let name: String
    /// The step of a `.same` target, or `nil` if the events have no step. Always `nil` for a `.value` target.
    let knownStep: String?
    let step: Step
    /// The properties that the upcast sets.
    let props: [String: FlowDefinition.UpcastValue]
    let definition: FlowDefinition

    /// Where the step comes from.
    enum Step {
      /// All events have the same step, so most of their event class is computed in advance.
      case same(EventClassifier)
      /// The step is computed from a field of each event.
      case value(FlowDefinition.UpcastValue)
    }
  }

  /// Creates the conversion for a flow version.
  ///
  /// - Parameters:
  ///   - index: The index of the flow version in the catalog.
  ///   - name: The name of the logged events.
  ///   - step: The step of the logged events, or `nil` if they have none.
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
        name: target.name, knownStep: known, step: .same(EventClassifier(name: target.name, step: known, in: definition)),
        props: target.props, definition: definition)
    }
  }

  /// Adds the keys that the flow matches of the events depend on.
  ///
  /// - Parameter wanted: The optional contents of flow matches. A wanted property adds a key only if an upcast sets it.
  func insertKeys(into keys: inout MatchKeys, _ wanted: RequestedFields) {
    for target in targets {
      func insert(_ field: EventField) {
        if case .property(let key) = field, let value = target.props[key] {
          value.source.map { keys.insert($0) }
        } else {
          keys.insert(field)
        }
      }
      switch target.step {
      case .same(let classifier): classifier.fields.forEach(insert)
      case .value(let value):
        value.source.map { keys.insert($0) }
        // The step is unknown in advance, so the conditions of every step may apply.
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

  /// Returns the flow matches of an event, one for each event that the upcast produces, in the order in which
  /// reports process them.
  ///
  /// - Parameters:
  ///   - wanted: The optional contents of flow matches.
  ///   - logged: Returns the logged value of a field, or null if the event does not have it.
  func flowMatches(_ wanted: RequestedFields, _ logged: (EventField) -> PropertyValue) -> [EventClassTable.FlowMatch] {
    let flowMatches = targets.map { target in
      let changed = target.props.mapValues { $0.value(logged) }
      func value(of field: EventField) -> PropertyValue {
        if case .property(let key) = field, let value = changed[key] { return value }
        return logged(field)
      }
      let step: String?
      let classifier: EventClassifier
      switch target.step {
      case .same(let known):
        step = target.knownStep
        classifier = known
      case .value(let value):
        step = value.value(logged).text
        classifier = EventClassifier(name: target.name, step: step, in: target.definition)
      }
      let eventClass = classifier.kind(value)
      var entry = EventClassTable.Entry(flow: Int32(flow), kind: eventClass)
      if wanted.details {
        let facts = target.definition.facts(name: target.name, step: step, kind: eventClass, namesVersion: namesVersion) {
          value(of: .property($0))
        }
        entry.detail = EventDetail(name: target.name, step: step, flow: target.definition, facts: facts)
      }
      return EventClassTable.FlowMatch(entry, props: changed.filter { wanted.props.contains($0.key) || wanted.allProps })
    }
    guard flowMatches.count > 1 else { return flowMatches }
    // The matches of one event are sorted by the steps they enter, like simultaneous events (`EventOrder`, in a
    // module that imports this one). The offset makes the sort stable: the standard library does not guarantee
    // that.
    return flowMatches.enumerated().sorted { a, b in
      let rankA = a.element.entry.kind.tieRank(stepCount: stepCount)
      let rankB = b.element.entry.kind.tieRank(stepCount: stepCount)
      return (rankA, a.offset) < (rankB, b.offset)
    }.map(\.element)
  }
}

extension FlowDefinition.UpcastMapping {
  /// Returns the step ID that an event's value maps to, or `nil` if it maps to none.
  fileprivate func step(for logged: PropertyValue?) -> String? { value(for: logged ?? .null).text }
}

extension FlowDefinition.UpcastValue {
  /// The field of the event that the value is computed from, or `nil` for a literal.
  fileprivate var source: EventField? {
    switch self {
    case .literal: nil
    case .field(let field), .mapped(let field, _): field
    }
  }

  /// Returns the value for one event.
  ///
  /// - Parameter logged: Returns the logged value of a field.
  fileprivate func value(_ logged: (EventField) -> PropertyValue) -> PropertyValue {
    switch self {
    case .literal(let value): value
    case .field(let field): logged(field)
    case .mapped(let field, let mapping): mapping.value(for: logged(field))
    }
  }
}

extension FlowDefinition {
  /// Returns the fields that the event class of an event of this name may depend on, for any step.
  fileprivate func conditionFields(of name: String) -> [EventField] {
    let patterns = steps.flatMap { step -> [EventPattern] in
      if case .event(let patterns) = step.kind { patterns } else { [] }
    }
    return patterns.filter { $0.event == name }.flatMap { $0.conditions.map(\.field) }
      + outcomes.filter { $0.events.contains(name) }.flatMap { $0.conditions.map(\.field) }
  }
}

extension PropertyValue {
  /// The text of a string, or `nil` if the value is not a string.
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}
