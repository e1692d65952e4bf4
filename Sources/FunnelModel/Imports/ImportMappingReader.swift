extension ImportMapping {
  /// Parses a mapping (`Schemas/mapping.v1.schema.json`).
  ///
  /// - Parameters:
  ///   - source: The file's name, for messages.
  ///   - mayBePartial: Whether a mapping of CSV or of any JSON may lack the paths that such a format needs.
  /// - Throws: A configuration error about the first problem, with file, line, column and JSON path.
  package init(parsing bytes: [UInt8], source: String, mayBePartial: Bool = false) throws(FunnelError) {
    let reader = ImportMappingReader(source: source, mayBePartial: mayBePartial)
    let mapping = reader.mapping(bytes)
    guard let mapping, reader.input.problems.isEmpty else { throw FunnelError(reader.input.problems, listedBy: nil) }
    self = mapping
  }
}

/// Parses the JSON of a mapping and collects its problems.
private struct ImportMappingReader {
  /// The reader of the file, which collects problems.
  let input: ConfigurationReader

  /// Whether a mapping may lack the paths that its format needs.
  private let mayBePartial: Bool

  init(source: String, mayBePartial: Bool) {
    input = ConfigurationReader(source: source)
    self.mayBePartial = mayBePartial
  }

  private static let keys = [
    "$schema", "from", "encoding", "records", "header", "app", "subject", "user", "id", "ts", "name", "events", "props", "ctx",
    "other_events",
  ]

  /// Reads a file. The result is valid only if there are no problems.
  func mapping(_ bytes: [UInt8]) -> ImportMapping? {
    guard let root = input.parse(bytes), let object = input.object(root, allowed: Self.keys) else { return nil }
    var mapping = ImportMapping(source: input.source)
    mapping.format = object.choice("from", ImportFormat.self)
    if mapping.format == .native, let from = object["from"] {
      input.report("native events need no mapping, remove the file, or name the format of the records", at: from)
    }
    mapping.encoding = object.choice("encoding", TextEncoding.self)
    mapping.records = object["records"].flatMap { MappedFieldReader(input: input, syntax: .keys).onePath($0) }
    if let header = object["header"], let columns = input.array(header, needed: "a list of columns", isEmptyAllowed: false) {
      mapping.header = columns.compactMap { input.text($0) }
    }
    mapping.app = object.name("app")
    let hasOwnKeys = mapping.format == .csv || mapping.format == .json
    let fields = MappedFieldReader(input: input, syntax: hasOwnKeys ? .column : .keys)
    mapping.subject = object["subject"].map(fields.paths) ?? []
    mapping.user = object["user"].map(fields.pathsOrNone)
    mapping.id = object["id"].map(fields.paths) ?? []
    if let time = object["ts"] { (mapping.timestamp, mapping.timeForm) = fields.time(time) }
    mapping.name = object["name"].map(fields.paths) ?? []
    mapping.props = object["props"].map(fields.members) ?? []
    mapping.context = object["ctx"].map(fields.members) ?? []
    mapping.events = object["events"].map(fields.events) ?? [:]
    if let other = object["other_events"], let choice = input.choice(other, OtherEvents.self) {
      mapping.keepsOtherEvents = choice == .keep
    }
    if !mayBePartial, let format = mapping.format, format == .csv || format == .json { requirePaths(object, format) }
    return mapping
  }

  private enum OtherEvents: String, CaseIterable { case keep, drop }

  /// Reports the paths that a mapping of CSV or of any JSON must name but does not. These formats have no default paths.
  private func requirePaths(_ object: ConfigurationObject, _ format: ImportFormat) {
    for key in ["subject", "ts", "name"] where object[key] == nil {
      input.report(
        "the key \"\(key)\" is missing, name the \(format == .csv ? "column" : "key") it comes from", at: object.value)
    }
  }

}

/// Reads the parts of a mapping that refer to fields of imported records.
private struct MappedFieldReader {
  let input: ConfigurationReader
  let syntax: PathSyntax

  /// The syntax of paths.
  enum PathSyntax {
    /// Keys with dots between them.
    case keys
    /// The name of a CSV column or of a key of own JSON, or else keys with dots between them.
    case column
  }

  /// Reads `events`: the rules by event name.
  func events(_ value: ConfigurationValue) -> [String: [EventMapping]] {
    guard let object = input.object(value, needed: "an object of event names") else { return [:] }
    var events: [String: [EventMapping]] = [:]
    for member in object.members {
      switch member.value.node.value {
      case .null: events[member.key] = []
      case .array: events[member.key] = (input.array(member.value, isEmptyAllowed: false) ?? []).compactMap(event)
      default: events[member.key] = event(member.value).map { [$0] } ?? []
      }
    }
    return events
  }

  private func event(_ value: ConfigurationValue) -> EventMapping? {
    guard
      let object = input.object(
        value, allowed: ["name", "step", "props", "ctx", "flow", "when"],
        needed: "an object with name, step, props, ctx, flow or when, a list of such, or null")
    else { return nil }
    var event = EventMapping()
    event.name = object["name"].flatMap(text)
    event.step = object["step"].flatMap(text)
    event.flow = object["flow"].flatMap(text)
    event.props = object["props"].map(members) ?? []
    event.context = object["ctx"].map(members) ?? []
    if let when = object["when"], let conditions = input.object(when, needed: "an object of paths and values") {
      event.conditions = conditions.members.compactMap(condition)
    }
    return event
  }

  private func condition(_ member: ConfigurationMember) -> MappingCondition? {
    guard let path = path(member.key, at: member.value) else { return nil }
    if case .array = member.value.node.value {
      guard let values = input.array(member.value, isEmptyAllowed: false) else { return nil }
      return MappingCondition(path: path, values: values.compactMap(input.scalar))
    }
    return input.scalar(member.value).map { MappingCondition(path: path, values: [$0]) }
  }

  /// Reads a literal name, or a path with the prefix `$`.
  private func text(_ value: ConfigurationValue) -> MappedText? {
    guard let text = input.text(value) else { return nil }
    if text.hasPrefix("$") { return path(String(text.dropFirst()), at: value).map(MappedText.path) }
    return input.name(value, needed: "a name, or a path with $ in front").map(MappedText.literal)
  }

  /// Reads the members to add to `props` or `ctx`, by key.
  func members(_ value: ConfigurationValue) -> [MappedMember] {
    guard let object = input.object(value, needed: "an object of keys and paths") else { return [] }
    return object.members.compactMap { member in
      guard case .object = member.value.node.value else {
        return onePath(member.value).map { MappedMember(key: member.key, path: $0) }
      }
      return typedMember(member)
    }
  }

  /// Reads a member whose value is an object of `path` and `type`.
  private func typedMember(_ member: ConfigurationMember) -> MappedMember? {
    guard let object = input.object(member.value, allowed: ["path", "type"]) else { return nil }
    guard let path = object["path"] else {
      input.report("the key \"path\" is missing, name the value", at: member.value)
      return nil
    }
    if let type = object["type"], input.choice(type, TextType.self) == nil { return nil }
    return onePath(path).map { MappedMember(key: member.key, path: $0, type: object["type"] == nil ? .asWritten : .text) }
  }

  /// The types that a mapping may name.
  private enum TextType: String, CaseIterable { case text }

  /// Reads `ts`: one or several paths, or an object of `path` and `format`.
  func time(_ value: ConfigurationValue) -> (paths: [ImportedPath], form: TimeForm?) {
    guard case .object = value.node.value else { return (paths(value), nil) }
    guard let object = input.object(value, allowed: ["path", "format"]) else { return ([], nil) }
    guard let path = object["path"] else {
      input.report("the key \"path\" is missing, name the value that has the time", at: value)
      return ([], nil)
    }
    return (paths(path), object["format"].flatMap(timeForm))
  }

  private func timeForm(_ value: ConfigurationValue) -> TimeForm? {
    guard let text = input.text(value) else { return nil }
    do throws(TimePattern.Problem) {
      return try TimeForm(text)
    } catch {
      input.report("\(text.quoted) is not the form of a time, \(error.text)", at: value)
      return nil
    }
  }

  /// Reads null, which is no path, or what ``paths(_:)`` reads.
  func pathsOrNone(_ value: ConfigurationValue) -> [ImportedPath] {
    if case .null = value.node.value { return [] }
    return paths(value)
  }

  /// Reads one path, or a list of alternative paths.
  func paths(_ value: ConfigurationValue) -> [ImportedPath] {
    if case .array = value.node.value {
      return (input.array(value, needed: "a path, or a list of paths", isEmptyAllowed: false) ?? []).compactMap(onePath)
    }
    return onePath(value).map { [$0] } ?? []
  }

  func onePath(_ value: ConfigurationValue) -> ImportedPath? {
    input.text(value).flatMap { path($0, at: value) }
  }

  private func path(_ text: String, at value: ConfigurationValue) -> ImportedPath? {
    if syntax == .column { return ImportedPath(column: text) }
    if let path = ImportedPath(text) { return path }
    input.report("\(text.quoted) is not a path, allowed: keys with a dot between them, as in properties.screen", at: value)
    return nil
  }
}
