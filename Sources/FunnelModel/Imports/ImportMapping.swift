/// What a person says about their records: where subject, id, time and name are, and which native events the foreign ones become.
///
/// A mapping refines a format. Whatever it leaves out is read as the format has it.
public struct ImportMapping: Hashable, Sendable {
  /// The name of the file, as the user knows it.
  public var source: String
  /// The format of the records, or nil if the mapping is for records of any format.
  public var format: ImportFormat?
  /// The app of all events.
  public var app: String?
  /// The paths of the subject; the first that has a value counts. Empty: as the format has it.
  public var subject: [ImportedPath] = []
  /// The paths of the id.
  public var id: [ImportedPath] = []
  /// The paths of the time.
  public var timestamp: [ImportedPath] = []
  /// The paths of the event's name.
  public var name: [ImportedPath] = []
  /// What becomes of the events of a name, foreign or native. A name without any rule is left out.
  public var events: [String: [EventMapping]] = [:]
  /// Properties that are added to those the format gives.
  public var props: [MappedMember] = []
  /// Members of `ctx` that are added to those the format gives.
  public var context: [MappedMember] = []
  /// Whether events that ``events`` does not name, or for which no rule holds, are kept.
  public var keepsOtherEvents = true

  /// The columns of CSV that must be there, in groups of which one column is enough. Conditions may name columns that are absent.
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

/// The native event that a foreign one becomes.
public struct EventMapping: Hashable, Sendable {
  /// The name; nil: the native form of the foreign name.
  public var name: MappedText?
  /// The step's id.
  public var step: MappedText?
  /// The flow.
  public var flow: MappedText?
  /// Properties that are added.
  public var props: [MappedMember] = []
  /// Members of `ctx` that are added.
  public var context: [MappedMember] = []
  /// The conditions under which the rule holds, all of them.
  public var conditions: [MappingCondition] = []

  public init() {}
}

/// A text that a mapping gives, or the path to it.
public enum MappedText: Hashable, Sendable {
  case literal(String)
  case path(ImportedPath)
}

/// A key, and the path to its value.
public struct MappedMember: Hashable, Sendable {
  public var key: String
  public var path: ImportedPath

  public init(key: String, path: ImportedPath) {
    self.key = key
    self.path = path
  }
}

/// A condition of a mapping: the value at a path is one of several. Null stands for a value that is absent.
public struct MappingCondition: Hashable, Sendable {
  public var path: ImportedPath
  public var values: [PropertyValue]

  public init(path: ImportedPath, values: [PropertyValue]) {
    self.path = path
    self.values = values
  }
}
