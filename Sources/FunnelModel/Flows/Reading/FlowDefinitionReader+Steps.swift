extension FlowDefinitionReader {
  /// Reads `steps`: the steps in order. Invalid steps are omitted.
  func readSteps(_ value: ConfigurationValue) -> [FlowStep] {
    guard let elements = input.array(value, needed: "an array of steps") else { return [] }
    guard !elements.isEmpty else {
      input.report("a flow needs steps, at least one of them required", at: value)
      return []
    }
    guard elements.count <= Limits.flowStepsMax else {
      input.report("\(elements.count) steps, at most \(Limits.flowStepsMax) are allowed", at: value)
      return []
    }
    var steps: [FlowStep] = []
    var lines: [String: Int] = [:]
    for element in elements {
      guard let step = readStep(element) else { continue }
      if let line = lines[step.id] {
        let location = element.node["id"].map { ConfigurationValue(node: $0, path: element.path(ofMember: "id")) }
        input.report(
          "the step id \(step.id.quoted) is already used by the step in line \(line), choose another", at: location ?? element)
      }
      lines[step.id] = lines[step.id] ?? element.node.position.line
      steps.append(step)
    }
    if steps.count == elements.count, !steps.contains(where: { !$0.isOptional }) {
      input.report("every step is optional, at least one must be required", at: value)
    }
    checkPermissionCount(of: steps, at: value)
    if steps.count == elements.count { checkTimes(of: steps, elements) }
    return steps
  }

  private func readStep(_ value: ConfigurationValue) -> FlowStep? {
    let keys = [
      "id", "label", "entered_by", "permission", "optional", "asks", "progress", "props", "required", "window", "min_gap",
    ]
    guard let object = input.object(value, allowed: keys, required: ["id"], needed: "an object (a step)") else { return nil }
    let id = object.name("id")
    let label = object.text("label")
    let kind = readKind(object)
    let isOptional = object.bool("optional") ?? false
    let asks = object["asks"].map(readAsks) ?? []
    let progress = object.number("progress", in: 0...1)
    let properties = object["props"].map(readProperties) ?? [:]
    let required = readRequired(object)
    let window = object.timeSpan("window")
    let minGap = object.timeSpan("min_gap")
    guard let id else { return nil }
    var step = FlowStep(
      id: id, label: label ?? id, kind: kind, isOptional: isOptional, asks: asks.map(\.permission), progress: progress)
    step.permissionsPrimedOnEntry = Set(asks.filter { $0.primer == .step }.map(\.permission))
    step.props = properties
    step.requiredProps = required
    step.window = window
    step.minGap = minGap
    return step
  }

  /// The values of `primed_by`, which replaces the pre-prompt event of a permission.
  private enum Primer: String, CaseIterable {
    /// Entering the step that asks for the permission.
    case step
  }

  /// A permission that a step asks for.
  private struct Ask {
    let permission: String
    /// The event that replaces the pre-prompt, or `nil` if there is none.
    let primer: Primer?
  }

  /// Reads `asks`: the permissions that the step asks for, and whether entering the step is their pre-prompt.
  private func readAsks(_ value: ConfigurationValue) -> [Ask] {
    var result: [Ask] = []
    for element in input.array(value, needed: "an array of names", isEmptyAllowed: false) ?? [] {
      var name: String?
      var primer: Primer?
      if element.node.object == nil {
        name = input.name(element, needed: "a permission or {\"permission\":…,\"primed_by\":\"step\"}")
      } else if let object = input.object(element, allowed: ["permission", "primed_by"], required: ["permission"]) {
        name = object.name("permission")
        primer = object.choice("primed_by", Primer.self)
      }
      guard let name else { continue }
      guard !result.contains(where: { $0.permission == name }) else {
        input.report("\(name.quoted) is listed twice, remove one", at: element)
        continue
      }
      result.append(Ask(permission: name, primer: primer))
    }
    return result
  }

  /// Reads `permission` or `entered_by`: the events that enter the step. A step with neither is a screen.
  private func readKind(_ object: ConfigurationObject) -> FlowStep.Kind {
    let permission = object.name("permission")
    let patterns = object["entered_by"].map(readPatterns)
    if let location = object["entered_by"], object["permission"] != nil {
      input.report("a step has either \"entered_by\" or \"permission\", remove one", at: location)
    }
    if let permission { return .permission(permission) }
    return patterns.map(FlowStep.Kind.event) ?? .screen
  }

  private func readPatterns(_ value: ConfigurationValue) -> [EventPattern] {
    let needed = "an array of event names"
    let elements = input.array(value, needed: needed, isEmptyAllowed: false) ?? []
    return elements.compactMap { element in
      guard element.node.object != nil else {
        return input.name(element, needed: "an event name or {\"event\":…,\"where\":…}").map { EventPattern(event: $0) }
      }
      guard let object = input.object(element, allowed: ["event", "where"], required: ["event"]) else { return nil }
      let conditions = object["where"].map(readConditions) ?? []
      return object.name("event").map { EventPattern(event: $0, conditions: conditions) }
    }
  }

  /// Reads `where`: the values that an event must have, by field.
  func readConditions(_ value: ConfigurationValue) -> [PropertyCondition] {
    guard let object = input.object(value) else { return [] }
    if object.members.isEmpty { input.report("the object is empty, at least one condition is needed", at: value) }
    return object.members.compactMap { member in
      guard let field = EventField(member.key) else {
        input.report(
          "unknown field \(member.key.quoted), allowed: step, props.<key>, ctx.<key>", atKeyOf: member)
        return nil
      }
      return input.scalar(member.value).map { PropertyCondition(field: field, value: $0) }
    }
  }

  private func checkPermissionCount(of steps: [FlowStep], at value: ConfigurationValue) {
    let names = Set(steps.flatMap(\.permissions))
    if names.count > Limits.flowPermissionsMax {
      input.report("\(names.count) permissions, at most \(Limits.flowPermissionsMax) are allowed", at: value)
    }
  }
}

extension FlowDefinitionReader {
  /// Reports a `window` or a `min_gap` that can't take effect.
  ///
  /// - Parameter elements: The values in the file from which the steps were read, one for each.
  /// - Precondition: There are as many elements as steps.
  func checkTimes(of steps: [FlowStep], _ elements: [ConfigurationValue]) {
    precondition(elements.count == steps.count, "each step has an element")
    let first = steps.firstIndex { !$0.isOptional }
    for (index, step) in steps.enumerated() {
      let object = input.object(elements[index])
      for key in ["window", "min_gap"] {
        guard let location = object?[key] else { continue }
        if step.isOptional {
          input.report("an optional step can't have a time limit, remove \"\(key)\"", at: location)
        } else if index == first {
          input.report("the first required step has no step before it, remove \"\(key)\"", at: location)
        }
      }
      if let gap = step.minGap, let window = step.window, gap > window, let location = object?["min_gap"] {
        input.report("\"min_gap\" is above \"window\" (\(window)), so no event can match, change one of them", at: location)
      }
    }
  }
}
