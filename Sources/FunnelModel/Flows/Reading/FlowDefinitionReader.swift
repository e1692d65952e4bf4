extension FlowDefinition {
  /// Parses a flow definition (specification section 6).
  ///
  /// - Parameter source: The file's name, for messages.
  /// - Throws: A configuration error about the first problem, with file, line, column and JSON path.
  package init(json bytes: [UInt8], source: String) throws(FunnelError) {
    switch Self.read(json: bytes, source: source) {
    case .success(let definition): self = definition
    case .failure(let failure): throw FunnelError(failure.problems)
    }
  }

  /// Parses a flow definition and collects every problem of the file.
  package static func read(json bytes: [UInt8], source: String) -> Result<FlowDefinition, ConfigurationFailure> {
    let reader = FlowDefinitionReader(source: source)
    guard let definition = reader.read(bytes), reader.input.problems.isEmpty else {
      return .failure(ConfigurationFailure(problems: reader.input.problems.inFileOrder))
    }
    return .success(definition)
  }
}

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
    let app = object.name("app") ?? ""
    let flow = object.name("flow") ?? ""
    var definition = FlowDefinition(
      app: app, flow: flow,
      version: object.integer("version", atLeast: 1) ?? 1,
      title: object.text("title") ?? flow,
      window: object.timeSpan("window") ?? Self.defaultWindow,
      countBy: object.choice("count_by", FlowDefinition.CountBy.self) ?? .person)
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

extension FlowDefinitionReader {
  /// Reads `app_versions`: the builds that the flow version applies to.
  func readVersionRange(_ value: ConfigurationValue) -> VersionRange? {
    let range = input.parsed(
      value, needed: "a range of versions such as \">=5.2\"",
      problem: "is not a range of versions, allowed: bounds such as \">=5.2\", \"<5.2\" or \">=3 <5.2\"", VersionRange.init)
    guard let range else { return nil }
    guard !range.isEmpty else {
      input.report("no version matches \(range.description.quoted), as its bounds exclude each other, fix them", at: value)
      return nil
    }
    return range
  }

  /// Reads `versions`: the keys whose values are versions.
  func readVersionKeys(_ value: ConfigurationValue) -> [EventField] {
    let needed = "an array of keys such as \"props.sdk\""
    let keys = input.distinct(value, needed: needed, isEmptyAllowed: false, text: \.description) { element in
      input.parsed(
        element, needed: "a key such as \"props.sdk\"", problem: "is not a key of events, allowed: props.<key>, ctx.<key>"
      ) { text in
        EventField(text).flatMap { $0 == .step ? nil : $0 }
      }
    }
    return keys ?? []
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
