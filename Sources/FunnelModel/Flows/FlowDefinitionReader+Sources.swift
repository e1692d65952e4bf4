extension FlowDefinitionReader {
  /// Reads `app_versions`: the builds that the flow version applies to.
  func readVersionRange(_ value: ConfigurationValue) -> VersionRange? {
    guard let text = value.node.string else {
      input.reportKind("a range of versions such as \">=5.2\"", at: value)
      return nil
    }
    guard let range = VersionRange(text) else {
      input.report(
        "\(text.quoted) is not a range of versions, allowed: bounds such as \">=5.2\", \"<5.2\" or \">=3 <5.2\"", at: value)
      return nil
    }
    guard !range.isEmpty else {
      input.report("no version matches \(text.quoted), as its bounds exclude each other, fix them", at: value)
      return nil
    }
    return range
  }

  /// Reads `versions`: the keys whose values are versions.
  func readVersionKeys(_ value: ConfigurationValue) -> [EventField] {
    let needed = "an array of keys such as \"props.sdk\""
    var keys: [EventField] = []
    for element in input.array(value, needed: needed, isEmptyAllowed: false) ?? [] {
      guard let text = element.node.string else {
        input.reportKind("a key such as \"props.sdk\"", at: element)
        continue
      }
      guard let key = EventField(text), key != .step else {
        input.report("\(text.quoted) is not a key of events, allowed: props.<key>, ctx.<key>", at: element)
        continue
      }
      guard !keys.contains(key) else {
        input.report("\(text.quoted) is listed twice, remove one", at: element)
        continue
      }
      keys.append(key)
    }
    return keys
  }

  /// Reads `from_flows`: the other flows of the app whose events are aggregated as well.
  func readSources(_ value: ConfigurationValue, of flow: String) -> FlowDefinition.FlowSources {
    if value.node.string == "*" { return .all }
    guard value.node.array != nil else {
      input.reportKind("an array of flow names, or \"*\" for every flow,", at: value)
      return .flows([])
    }
    for element in input.elements(of: value) {
      if element.node.string == "*" {
        input.report("\"*\" stands for every flow, write it alone: \"from_flows\": \"*\"", at: element)
        return .all
      }
      if !flow.isEmpty, element.node.string == flow {
        input.report("\(flow.quoted) is the flow itself, whose events are counted anyway, remove it", at: element)
      }
    }
    return .flows(input.names(value) ?? [])
  }
}
