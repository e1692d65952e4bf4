/// Parses flow definition files. The parts of a definition are read by extensions, one file each.
final class FlowDefinitionReader {
  /// The reader of the file, which collects problems.
  let input: ConfigurationReader

  private static let keys = [
    "app", "flow", "version", "title", "window", "count_by", "app_versions", "from_flows", "versions", "steps", "exclude",
    "locks", "rules", "events", "outcomes", "upcasts", "retention", "notes",
  ]

  /// Creates a reader of a file.
  init(source: String) {
    input = ConfigurationReader(source: source)
  }

  /// Reads a file. The result is valid only if ``input`` has no problems.
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
    definition.appVersions = object["app_versions"].flatMap(readVersionRange)
    definition.fromFlows = object["from_flows"].map { readSources($0, of: flow) } ?? .flows([])
    definition.versions = object["versions"].map(readVersionKeys) ?? []
    definition.retention = object["retention"].flatMap(readRetention)
    object["notes"].map(checkNotes)
    readParts(of: object, into: &definition)
    return definition
  }

  /// The conversion window of a definition that does not specify one.
  private static let defaultWindow = TimeSpan(milliseconds: 7 * Timestamp.millisecondsPerDay)

  /// Reads the parts that refer to each other. A part is read after those that it refers to, regardless of
  /// their order in the file.
  private func readParts(of object: ConfigurationObject, into definition: inout FlowDefinition) {
    let areStepsValid = findsNoProblem { definition.steps = object["steps"].map(readSteps) ?? [] } && object["steps"] != nil
    var names = FlowNames(steps: areStepsValid ? definition.steps : nil)
    definition.locks = object["locks"].map { readLocks($0, names: names) } ?? []
    let areEventsValid = findsNoProblem {
      definition.exclusions = object["exclude"].map { readExclusions($0, steps: areStepsValid ? definition.steps : nil) } ?? []
      definition.events = object["events"].map { readEvents($0, names: names) } ?? []
      definition.outcomes = object["outcomes"].map(readOutcomes) ?? []
      definition.upcasts = object["upcasts"].map { readUpcasts($0, names: names) } ?? []
    }
    if areStepsValid, areEventsValid {
      names.events = FlowVocabulary(definition).eventNames
    }
    definition.rules = object["rules"].map { readRules($0, names: names) } ?? []
  }

  /// Runs a closure and returns whether it reported no problem.
  private func findsNoProblem(_ read: () -> Void) -> Bool {
    let before = input.problems.count
    read()
    return input.problems.count == before
  }

  /// Checks `notes`, which have no effect.
  private func checkNotes(_ value: ConfigurationValue) {
    for element in input.array(value, needed: "an array of strings") ?? [] { _ = input.text(element) }
  }
}
