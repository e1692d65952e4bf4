/// Reads the parameters of one rule of a definition.
///
/// Each function returns `nil` if the parameter is absent or invalid. An invalid parameter is reported, an
/// absent one is not. A reference to an unknown name is reported, but returned.
struct FlowRuleReader {
  let object: ConfigurationObject
  /// The names that the rule may refer to.
  let names: FlowNames

  /// The reader of the file, which collects problems.
  var input: ConfigurationReader { object.input }

  /// Reads the ID of a step.
  func step(_ key: String) -> String? { reference(key, in: names.stepIDs, "step") }

  /// Reads an array of step IDs, which may be empty.
  func steps(_ key: String) -> [String]? { references(key, in: names.stepIDs, "step", isEmptyAllowed: true) }

  /// Reads the name of a permission.
  func permission(_ key: String) -> String? { reference(key, in: names.permissions, "permission") }

  /// Reads an array of permissions, at least one.
  func permissions(_ key: String) -> [String]? {
    references(key, in: names.permissions, "permission", isEmptyAllowed: false)
  }

  /// Reads an array of permissions that a step asks for, at least one.
  func permissions(_ key: String, askedIn step: String?) -> [String]? {
    guard let permissions = permissions(key), let value = object[key] else { return nil }
    // The permissions are not checked if the step is unknown.
    guard let asked = names.steps?.first(where: { $0.id == step })?.permissions else { return permissions }
    for element in input.elements(of: value) {
      guard let name = element.node.string, !asked.contains(name), names.permissions?.contains(name) == true else { continue }
      let allowed = asked.isEmpty ? "it asks for none" : "it asks for \(asked.joined(separator: ", "))"
      input.report("the step does not ask for \(name.quoted), \(allowed)", at: element)
    }
    return permissions
  }

  /// Reads the name of an event that the flow declares.
  func event(_ key: String) -> String? {
    guard let value = object[key], let event = input.name(value) else { return nil }
    if let events = names.events, !events.contains(event) {
      let nearest = NearestName.suggestion(for: event, in: events)
      input.report(
        "the flow declares no event \(event.quoted)\(nearest) name it in \"events\", in \"outcomes\" or at a step", at: value)
    }
    return event
  }

  /// Reports a problem at a parameter, or at the whole rule if the parameter is absent.
  func report(_ message: String, at key: String) {
    input.report(message, at: object[key] ?? object.value)
  }

  private func reference(_ key: String, in known: [String]?, _ what: String) -> String? {
    guard let value = object[key], let name = input.name(value) else { return nil }
    input.checkReference(to: name, in: known, what, at: value)
    return name
  }

  private func references(_ key: String, in known: [String]?, _ what: String, isEmptyAllowed: Bool) -> [String]? {
    guard let value = object[key], let list = input.names(value, isEmptyAllowed: isEmptyAllowed) else { return nil }
    for element in input.elements(of: value) {
      guard let name = element.node.string, list.contains(name) else { continue }
      input.checkReference(to: name, in: known, what, at: element)
    }
    return list
  }
}
