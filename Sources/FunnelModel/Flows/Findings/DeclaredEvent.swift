/// The events that one declaration in a definition declares, with its location in the file.
struct DeclaredEvent {
  /// The start of a sentence about the events: `"note_created" is`, `the step_* events of "welcome" are`.
  var phrase: String
  /// The events, at least one, each with the step ID that it must have, or `nil` for any.
  var events: [(name: String, step: String?)]
  /// The path to the declaration in the file.
  var path: [DefinitionLocations.PathPart]

  /// Returns the declarations of a definition, in no particular order.
  static func all(of definition: FlowDefinition) -> [DeclaredEvent] {
    var result: [DeclaredEvent] = []
    for (index, step) in definition.steps.enumerated() {
      let path: [DefinitionLocations.PathPart] = ["steps", .index(index)]
      let stepEvents = DeclaredEvent(
        phrase: "the step_* events of \(step.id.quoted) are", events: [(StepEventName.viewed.rawValue, step.id)],
        path: path + ["id"])
      result.append(stepEvents)
      switch step.kind {
      case .screen: break
      case .permission(let permission): result.append(of(permission, path: path + ["permission"]))
      case .event(let patterns):
        for (index, pattern) in patterns.enumerated() {
          result.append(of(pattern, path: path + ["entered_by", .index(index)]))
        }
      }
      for (index, permission) in step.asks.enumerated() { result.append(of(permission, path: path + ["asks", .index(index)])) }
    }
    for event in definition.events { result.append(named(event.name, path: ["events", .key(event.name)])) }
    for outcome in definition.outcomes {
      for (index, name) in outcome.events.enumerated() {
        result.append(named(name, path: ["outcomes", .key(outcome.name), "events", .index(index)]))
      }
    }
    for (index, exclusion) in definition.exclusions.enumerated() {
      result.append(named(exclusion.event, path: ["exclude", .index(index), "event"]))
    }
    for (index, upcast) in definition.upcasts.enumerated() {
      result.append(named(upcast.from, path: ["upcasts", .index(index), "from"]))
    }
    return result
  }

  private static func named(_ name: String, path: [DefinitionLocations.PathPart]) -> DeclaredEvent {
    DeclaredEvent(phrase: "\(name.quoted) is", events: [(name, nil)], path: path)
  }

  private static func of(_ permission: String, path: [DefinitionLocations.PathPart]) -> DeclaredEvent {
    let names = PermissionEventName.Suffix.allCases.map { PermissionEventName.name($0, of: permission) }
    return DeclaredEvent(
      phrase: "the events of permission \(permission.quoted) are", events: names.map { ($0, nil) }, path: path)
  }

  private static func of(_ pattern: EventPattern, path: [DefinitionLocations.PathPart]) -> DeclaredEvent {
    guard case .string(let step)? = pattern.conditions.first(where: { $0.field == .step })?.value else {
      return named(pattern.event, path: path)
    }
    return DeclaredEvent(
      phrase: "\(pattern.event.quoted) of step \(step.quoted) is", events: [(pattern.event, step)], path: path)
  }
}
