/// A user's mapping of imported records to funnel's events: the paths of fields, and rules by event name.
///
/// A mapping refines an ``ImportFormat``. The format's own defaults apply to everything that the mapping does not define.
public struct ImportMapping: Hashable, Sendable {
  /// The name of the file, for messages.
  public var source: String
  /// The format of the records, or `nil` if the mapping applies to every format.
  public var format: ImportFormat?
  /// The app of all events, or `nil` for events that name no app.
  public var app: String?
  /// The paths to the subject, of which the first with a value is used. An empty array means the format's default.
  public var subject: [ImportedPath] = []
  /// The paths to the event's ID, of which the first with a value is used. An empty array means the format's default.
  public var id: [ImportedPath] = []
  /// The paths to the time, of which the first with a value is used. An empty array means the format's default.
  public var timestamp: [ImportedPath] = []
  /// The paths to the event's name, of which the first with a value is used. An empty array means the format's default.
  public var name: [ImportedPath] = []
  /// The rules by event name, imported or native. An empty array drops the events of that name.
  public var events: [String: [EventMapping]] = [:]
  /// The properties to add to those of the format.
  public var props: [MappedMember] = []
  /// The members of `ctx` to add to those of the format.
  public var context: [MappedMember] = []
  /// Whether events are kept if ``events`` does not have their name or if none of their rules applies.
  public var keepsOtherEvents = true

  /// The columns that a CSV file must have, in groups of alternatives: one column of each group is enough.
  /// Columns of conditions are optional.
  public var neededColumns: [[ImportedPath]] {
    let rules = events.values.flatMap { $0 }
    let texts = rules.flatMap { [$0.name, $0.step, $0.flow] }.compactMap { text -> ImportedPath? in
      if case .path(let path) = text { path } else { nil }
    }
    let members = props + context + rules.flatMap { $0.props + $0.context }
    let groups = [subject, id, timestamp, name] + (members.map(\.path) + texts).map { [$0] }
    return groups.filter { !$0.isEmpty }
  }

  /// Creates a mapping that changes nothing.
  public init(source: String) {
    self.source = source
  }
}

/// A rule that converts an imported event to a native one.
public struct EventMapping: Hashable, Sendable {
  /// The event's name, or `nil` to convert the imported name to a valid one.
  public var name: MappedText?
  /// The step's ID, or `nil` for an event without a step.
  public var step: MappedText?
  /// The flow, or `nil` for an event that names no flow.
  public var flow: MappedText?
  /// The properties to add.
  public var props: [MappedMember] = []
  /// The members of `ctx` to add.
  public var context: [MappedMember] = []
  /// The conditions under which the rule applies, all of which must hold.
  public var conditions: [MappingCondition] = []

  /// Creates a rule that changes nothing.
  public init() {}
}

/// A text in a mapping: a literal, or the path to a value of the record.
public enum MappedText: Hashable, Sendable {
  /// A fixed text.
  case literal(String)
  /// The path to the text in the record.
  case path(ImportedPath)
}

/// A member to add to `props` or `ctx`, and the path to its value in the record.
public struct MappedMember: Hashable, Sendable {
  /// The key of the new member.
  public var key: String
  /// The path to the value.
  public var path: ImportedPath

  /// Creates a member.
  public init(key: String, path: ImportedPath) {
    self.key = key
    self.path = path
  }
}

/// A condition that the value at a path is one of several.
public struct MappingCondition: Hashable, Sendable {
  /// The path to the value.
  public var path: ImportedPath
  /// The allowed values. Null matches an absent value.
  public var values: [PropertyValue]

  /// Creates a condition.
  public init(path: ImportedPath, values: [PropertyValue]) {
    self.path = path
    self.values = values
  }
}
