extension ImportMapping {
  /// Parses a mapping (`Schemas/mapping.v1.schema.json`).
  ///
  /// - Parameter source: The file's name, for messages.
  /// - Throws: A configuration error about the first problem, with file, line, column and JSON path.
  package init(parsing bytes: [UInt8], source: String) throws(FunnelError) {
    let reader = ImportMappingReader(source: source)
    let mapping = reader.mapping(bytes)
    guard let mapping, reader.problems.isEmpty else { throw FunnelError(mappingProblems: reader.problems) }
    self = mapping
  }
}

extension FunnelError {
  /// Creates an error from the first problem of a mapping, with the number of further problems.
  fileprivate init(mappingProblems problems: [ConfigurationProblem]) {
    precondition(!problems.isEmpty, "an error needs a problem")
    let more = problems.count == 1 ? "" : " (and \(problems.count - 1) more)"
    self.init(.configuration, problems[0].description + more)
  }
}

/// Parses the JSON of a mapping and collects its problems.
private final class ImportMappingReader {
  private let reader: ConfigurationReader
  /// Whether a path is the name of a CSV column, in which dots have no meaning.
  private var namesColumns = false

  init(source: String) {
    reader = ConfigurationReader(source: source)
  }

  var problems: [ConfigurationProblem] { reader.problems }

  private static let keys = [
    "$schema", "from", "app", "subject", "id", "ts", "name", "events", "props", "ctx", "other_events",
  ]

  /// Reads a file. The result is valid only if there are no problems.
  func mapping(_ bytes: [UInt8]) -> ImportMapping? {
    guard let root = reader.parse(bytes), let object = reader.object(root, allowed: Self.keys) else { return nil }
    var mapping = ImportMapping(source: reader.source)
    mapping.format = object.choice("from", ImportFormat.self)
    if mapping.format == .native, let from = object["from"] {
      reader.report("native events need no mapping, remove the file, or name the format of the records", at: from)
    }
    namesColumns = mapping.format == .csv
    mapping.app = object.name("app")
    mapping.subject = object["subject"].map(paths) ?? []
    mapping.id = object["id"].map(paths) ?? []
    mapping.timestamp = object["ts"].map(paths) ?? []
    mapping.name = object["name"].map(paths) ?? []
    mapping.props = object["props"].map(members) ?? []
    mapping.context = object["ctx"].map(members) ?? []
    if let events = object["events"] { mapping.events = self.events(events) }
    if let other = object["other_events"], let choice = reader.choice(other, OtherEvents.self) {
      mapping.keepsOtherEvents = choice == .keep
    }
    if mapping.format == .csv { requireColumns(object) }
    return mapping
  }

  private enum OtherEvents: String, CaseIterable { case keep, drop }

  /// Reports the columns that a mapping of CSV must name but does not. CSV has no default columns.
  private func requireColumns(_ object: ConfigurationObject) {
    for key in ["subject", "ts", "name"] where object[key] == nil {
      reader.report("the key \"\(key)\" is missing, name the column it comes from", at: object.value)
    }
  }

  private func events(_ value: ConfigurationValue) -> [String: [EventMapping]] {
    guard let object = reader.object(value, needed: "an object of event names") else { return [:] }
    var events: [String: [EventMapping]] = [:]
    for member in object.members {
      switch member.value.node.value {
      case .null: events[member.key] = []
      case .array: events[member.key] = (reader.array(member.value, isEmptyAllowed: false) ?? []).compactMap(event)
      default: events[member.key] = event(member.value).map { [$0] } ?? []
      }
    }
    return events
  }

  private func event(_ value: ConfigurationValue) -> EventMapping? {
    guard
      let object = reader.object(
        value, allowed: ["name", "step", "props", "ctx", "flow", "when"],
        needed: "an object with name, step, props, ctx, flow or when, a list of such, or null")
    else { return nil }
    var event = EventMapping()
    event.name = object["name"].flatMap(text)
    event.step = object["step"].flatMap(text)
    event.flow = object["flow"].flatMap(text)
    event.props = object["props"].map(members) ?? []
    event.context = object["ctx"].map(members) ?? []
    if let when = object["when"], let conditions = reader.object(when, needed: "an object of paths and values") {
      event.conditions = conditions.members.compactMap(condition)
    }
    return event
  }

  private func condition(
    _ member: ConfigurationMember
  ) -> MappingCondition? {
    guard let path = path(member.key, at: member.value) else { return nil }
    if case .array = member.value.node.value {
      guard let values = reader.array(member.value, isEmptyAllowed: false) else { return nil }
      return MappingCondition(path: path, values: values.compactMap(reader.scalar))
    }
    return reader.scalar(member.value).map { MappingCondition(path: path, values: [$0]) }
  }

  /// Reads a literal name, or a path with the prefix `$`.
  private func text(_ value: ConfigurationValue) -> MappedText? {
    guard let text = reader.text(value) else { return nil }
    if text.hasPrefix("$") { return path(String(text.dropFirst()), at: value).map(MappedText.path) }
    return reader.name(value, needed: "a name, or a path with $ in front").map(MappedText.literal)
  }

  private func members(_ value: ConfigurationValue) -> [MappedMember] {
    guard let object = reader.object(value, needed: "an object of keys and paths") else { return [] }
    return object.members.compactMap { member in
      guard let text = reader.text(member.value), let path = path(text, at: member.value) else { return nil }
      return MappedMember(key: member.key, path: path)
    }
  }

  /// Reads one path, or a list of alternative paths.
  private func paths(_ value: ConfigurationValue) -> [ImportedPath] {
    if case .array = value.node.value {
      return (reader.array(value, needed: "a path, or a list of paths", isEmptyAllowed: false) ?? []).compactMap(onePath)
    }
    return onePath(value).map { [$0] } ?? []
  }

  private func onePath(_ value: ConfigurationValue) -> ImportedPath? {
    reader.text(value).flatMap { path($0, at: value) }
  }

  private func path(_ text: String, at value: ConfigurationValue) -> ImportedPath? {
    if namesColumns { return ImportedPath(column: text) }
    if let path = ImportedPath(text) { return path }
    reader.report("\(text.quoted) is not a path, allowed: keys with a dot between them, as in properties.screen", at: value)
    return nil
  }
}
