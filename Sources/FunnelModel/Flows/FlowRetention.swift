extension FlowDefinition {
  /// The time for which events and snapshots are kept.
  package struct Retention: Hashable, Sendable {
    /// The time for events, or `nil` for no limit.
    package var events: TimeSpan?
    /// The time for snapshots, or `nil` for no limit.
    package var snapshots: TimeSpan?
    /// Patterns of further event names of the app to which ``events`` applies, regardless of their flow
    /// (``NamePattern``): `mood_*`.
    package let also: [String]

    package init(events: TimeSpan? = nil, snapshots: TimeSpan? = nil, also: [String] = []) {
      self.events = events
      self.snapshots = snapshots
      self.also = also
    }
  }
}

extension FlowDefinitionReader {
  /// Reads `retention`: the time for which events and snapshots are kept.
  func readRetention(_ value: ConfigurationValue) -> FlowDefinition.Retention? {
    guard let object = input.object(value, allowed: ["events", "snapshots", "also"]) else { return nil }
    if let location = object["also"], object["events"] == nil {
      input.report("\"also\" names events, but not how long they are kept, add the key \"events\"", at: location)
    }
    return FlowDefinition.Retention(
      events: object.timeSpan("events"), snapshots: object.timeSpan("snapshots"),
      also: object["also"].map(readNamePatterns) ?? [])
  }

  /// Reads patterns of event names such as `mood_*`.
  private func readNamePatterns(_ value: ConfigurationValue) -> [String] {
    let list = input.distinct(
      value, needed: "an array of event names such as \"mood_*\"", isEmptyAllowed: false, text: \.self
    ) { element in
      input.parsed(
        element, needed: "an event name such as \"mood_*\"",
        problem: "is not a pattern of event names, allowed: a name in which * stands for any characters and ? for one"
      ) { Self.isNamePattern($0) ? $0 : nil }
    }
    return list ?? []
  }

  /// Returns whether a text is a valid pattern: an event name can match it, and it has a letter or digit,
  /// without which it would match the events of every flow.
  private static func isNamePattern(_ text: String) -> Bool {
    let wildcards: Set<Character> = ["*", "?"]
    let name = text.filter { !wildcards.contains($0) }
    // After a leading wildcard, the remainder may start with a digit or an underscore: `*_logged`.
    let isName = NameSyntax.matches(text.first.map(wildcards.contains) == true ? "a" + name : name)
    return isName && name.contains { $0 != "_" }
  }
}
