/// The reading of one flow definition file: its top level. Each part has a file of its own.
final class FlowDefinitionReader {
  let input: ConfigurationReader

  private static let keys = [
    "app", "flow", "version", "title", "window", "count_by", "steps", "locks", "rules", "events", "outcomes", "upcasts",
    "retention", "notes",
  ]

  init(source: String) {
    input = ConfigurationReader(source: source)
  }

  /// Reads a file; what it returns may be used only where no problem was found.
  func read(_ bytes: [UInt8]) -> FlowDefinition? {
    guard let root = input.parse(bytes),
      let object = input.object(root, allowed: Self.keys, required: ["app", "flow", "version", "steps"])
    else { return nil }
    let app = object["app"].flatMap { input.name($0) } ?? ""
    let flow = object["flow"].flatMap { input.name($0) } ?? ""
    var definition = FlowDefinition(
      app: app, flow: flow,
      version: object["version"].flatMap { input.integer($0, atLeast: 1) } ?? 1,
      title: object["title"].flatMap { input.text($0) } ?? flow,
      window: object["window"].flatMap { input.timeSpan($0) } ?? Self.defaultWindow,
      countBy: object["count_by"].flatMap { input.choice($0, FlowDefinition.CountBy.self) } ?? .subject)
    let problemsBefore = input.problems.count
    definition.steps = object["steps"].map(readSteps) ?? []
    let areStepsSound = input.problems.count == problemsBefore && object["steps"] != nil
    definition.locks = object["locks"].map(readLocks) ?? []
    definition.rules = object["rules"].map(readRules) ?? []
    definition.events = object["events"].map(readEvents) ?? []
    definition.outcomes = object["outcomes"].map(readOutcomes) ?? []
    definition.upcasts = object["upcasts"].map(readUpcasts) ?? []
    definition.retention = object["retention"].flatMap(readRetention)
    object["notes"].map(checkNotes)
    // References into steps that could not be read would be reported as dangling, which misleads.
    if areStepsSound { checkReferences(of: definition, in: object) }
    return definition
  }

  private static let defaultWindow = TimeSpan(milliseconds: 7 * Timestamp.millisecondsPerDay)

  private func readRetention(_ value: ConfigurationValue) -> FlowDefinition.Retention? {
    guard let object = input.object(value, allowed: ["events", "snapshots", "also"]) else { return nil }
    if let also = object["also"], object["events"] == nil {
      input.report("these events stay as long as \"events\" says, which is missing, add it", at: also)
    }
    return FlowDefinition.Retention(
      events: object["events"].flatMap { input.timeSpan($0) }, snapshots: object["snapshots"].flatMap { input.timeSpan($0) },
      also: object["also"].map(readNamePatterns) ?? [])
  }

  private func readNamePatterns(_ value: ConfigurationValue) -> [String] {
    let elements = input.array(value, needed: "an array of patterns of event names") ?? []
    return elements.compactMap { element in
      guard let text = input.text(element) else { return nil }
      guard NamePattern(text) != nil else {
        input.report(
          "\(text.quoted) is no pattern of event names, allowed: lower-case letters, digits, underscores, and * for any of them",
          at: element)
        return nil
      }
      return text
    }
  }

  private func checkNotes(_ value: ConfigurationValue) {
    for element in input.array(value, needed: "an array of strings") ?? [] { _ = input.text(element) }
  }
}
