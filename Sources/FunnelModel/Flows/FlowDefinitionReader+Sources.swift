extension FlowDefinitionReader {
  /// Reads `app_versions`: the builds that the flow version applies to.
  func readVersionRange(_ value: ConfigurationValue) -> VersionRange? {
    guard let text = value.node.string else {
      input.reportKind("a range of versions such as \">=5.2\"", at: value)
      return nil
    }
    guard let range = VersionRange(text) else {
      input.report(
        "\(text.quoted) is no range of versions, allowed: bounds such as \">=5.2\", \"<5.2\" or \">=3 <5.2\"", at: value)
      return nil
    }
    guard !range.isEmpty else {
      input.report("no version is in \(text.quoted), as its bounds exclude one another, mend them", at: value)
      return nil
    }
    return range
  }

  /// Reads `from_flows`: the other flows of the app whose events are folded as well.
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
        input.report("\(flow.quoted) is the flow itself, whose events are folded anyway, remove it", at: element)
      }
    }
    return .flows(input.names(value) ?? [])
  }
}
