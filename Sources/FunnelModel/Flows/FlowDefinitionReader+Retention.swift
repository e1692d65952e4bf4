extension FlowDefinitionReader {
  /// Reads `retention`: the time for which events and snapshots are kept.
  func readRetention(_ value: ConfigurationValue) -> FlowDefinition.Retention? {
    guard let object = input.object(value, allowed: ["events", "snapshots", "also"]) else { return nil }
    if let location = object["also"], object["events"] == nil {
      input.report("\"also\" names events, but not how long they are kept, add the key \"events\"", at: location)
    }
    return FlowDefinition.Retention(
      events: object["events"].flatMap { input.timeSpan($0) }, snapshots: object["snapshots"].flatMap { input.timeSpan($0) },
      also: object["also"].map(readNamePatterns) ?? [])
  }

  /// Reads patterns of event names such as `mood_*`.
  private func readNamePatterns(_ value: ConfigurationValue) -> [String] {
    var patterns: [String] = []
    for element in input.array(value, needed: "an array of event names such as \"mood_*\"", isEmptyAllowed: false) ?? [] {
      guard let text = element.node.string else {
        input.reportKind("an event name such as \"mood_*\"", at: element)
        continue
      }
      guard Self.isNamePattern(text) else {
        input.report(
          "\(text.quoted) is not a pattern of event names, allowed: a name in which * stands for any characters and ? for one",
          at: element)
        continue
      }
      guard !patterns.contains(text) else {
        input.report("\(text.quoted) is listed twice, remove one", at: element)
        continue
      }
      patterns.append(text)
    }
    return patterns
  }

  /// Returns whether a text is a valid pattern: an event name can match it, and it has a letter or digit,
  /// without which it would match the events of every flow.
  private static func isNamePattern(_ text: String) -> Bool {
    let wildcards: Set<Character> = ["*", "?"]
    let name = text.filter { !wildcards.contains($0) }
    // After a leading wildcard, the remainder may start with a digit or an underscore: `*_logged`.
    let isName = ConfigurationReader.isName(text.first.map(wildcards.contains) == true ? "a" + name : name)
    return isName && name.contains { $0 != "_" }
  }
}
