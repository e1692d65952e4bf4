/// The parameters of one rule of a definition, read by type.
///
/// Each function returns nil if the parameter is absent or invalid. An invalid one has been reported.
struct RuleParameters {
  let object: ConfigurationObject
  let input: ConfigurationReader
  let names: FlowNames

  func step(_ key: String) -> String? {
    guard let value = object[key], let step = input.name(value) else { return nil }
    input.checkReference(to: step, in: names.stepIDs, "step", at: value)
    return step
  }

  func steps(_ key: String) -> [String]? {
    references(key, in: names.stepIDs, "step", isEmptyAllowed: true)
  }

  func permission(_ key: String) -> String? {
    guard let value = object[key], let permission = input.name(value) else { return nil }
    input.checkReference(to: permission, in: names.permissions, "permission", at: value)
    return permission
  }

  /// Returns the names of permissions, at least one.
  func permissions(_ key: String) -> [String]? {
    references(key, in: names.permissions, "permission", isEmptyAllowed: false)
  }

  /// Returns the names of permissions that a step asks for, at least one.
  func permissions(_ key: String, askedIn step: String?) -> [String]? {
    guard let permissions = permissions(key), let value = object[key] else { return nil }
    guard let asked = names.steps?.first(where: { $0.id == step })?.permissions else { return permissions }
    for element in input.elements(of: value) {
      guard let name = element.node.string, !asked.contains(name), names.permissions?.contains(name) == true else { continue }
      let allowed = asked.isEmpty ? "it asks for none" : "it asks for \(asked.joined(separator: ", "))"
      input.report("the step does not ask for \(name.quoted), \(allowed)", at: element)
    }
    return permissions
  }

  /// Returns the name of an event that the flow declares.
  func event(_ key: String) -> String? {
    guard let value = object[key], let event = input.name(value) else { return nil }
    if let events = names.events, !events.contains(event) {
      let nearest = NearestName.find(event, in: events).map { ", did you mean \"\($0)\"?" } ?? ","
      input.report(
        "the flow declares no event \(event.quoted)\(nearest) name it in \"events\", in \"outcomes\" or at a step", at: value)
    }
    return event
  }

  func name(_ key: String) -> String? { object[key].flatMap { input.name($0) } }

  func text(_ key: String) -> String? { object[key].flatMap { input.text($0) } }

  func texts(_ key: String) -> [String]? { object[key].flatMap { input.texts($0) } }

  /// Returns an integer.
  func count(_ key: String, atLeast least: Int64 = 0) -> Int? {
    object[key].flatMap { input.integer($0, atLeast: least) }
  }

  func choice<Choice: RawRepresentable & CaseIterable>(_ key: String, _ type: Choice.Type) -> Choice?
  where Choice.RawValue == String {
    object[key].flatMap { input.choice($0, type) }
  }

  /// Reports a problem at a parameter, or at the whole rule if the parameter is absent.
  func report(_ message: String, at key: String) {
    input.report(message, at: object[key] ?? object.value)
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
