/// A user's mapping of imported records to funnel's events: the paths of fields, and rules by event name.
///
/// A mapping refines an ``ImportFormat``. The format's own defaults apply to everything that the mapping does not define.
package struct ImportMapping: Hashable, Sendable {
  /// The name of the file, for messages.
  package var source: String
  /// The format of the records, or `nil` if the mapping applies to every format.
  package var format: ImportFormat?
  /// The names of the columns of a table without a header, or `nil` if its first record has them.
  package var header: [String]?
  /// The path of the array of records in an object around them, or `nil` to look for it.
  package var records: ImportedPath?
  /// The encoding of the inputs, or `nil` to detect it.
  package var encoding: TextEncoding?
  /// The app of all events, or `nil` for events that name no app.
  package var app: String?
  /// The paths to the subject, of which the first with a value is used. An empty array means the format's default.
  package var subject: [ImportedPath] = []
  /// The paths to the user, of which the first with a value is used. An empty array means no user, and `nil` the format's
  /// default.
  package var user: [ImportedPath]?
  /// The paths to the event's ID, of which the first with a value is used. An empty array means the format's default.
  package var id: [ImportedPath] = []
  /// The paths to the time, of which the first with a value is used. An empty array means the format's default.
  package var timestamp: [ImportedPath] = []
  /// The form of the times, or `nil` for times that can be read without one.
  package var timeForm: TimeForm?
  /// The paths to the event's name, of which the first with a value is used. An empty array means the format's default.
  package var name: [ImportedPath] = []
  /// The rules by event name, imported or native. An empty array drops the events of that name.
  package var events: [String: [EventMapping]] = [:]
  /// The properties to add to those of the format.
  package var props: [MappedMember] = []
  /// The members of `ctx` to add to those of the format.
  package var context: [MappedMember] = []
  /// Whether events are kept if ``events`` does not have their name or if none of their rules applies.
  package var keepsOtherEvents = true
  /// Whether a CSV file must have the columns that only add to an event, such as those of ``props``.
  package var needsAllColumns = true

  /// The key under which the scalars of an object around the records are at hand: `$envelope.KEY`.
  package static let envelopeKey = "$envelope"

  /// Whether the mapping reads a scalar of an object around the records.
  package var usesEnvelope: Bool {
    let conditions = events.values.flatMap { $0 }.flatMap { $0.conditions.map(\.path) }
    let paths = subject + (user ?? []) + id + timestamp + name + valuePaths + conditions
    return paths.contains { $0.text.hasPrefix("\(Self.envelopeKey).") }
  }

  /// The paths of the values that become members of `props` and `ctx`, names, steps and flows.
  private var valuePaths: [ImportedPath] {
    let rules = events.values.flatMap { $0 }
    let texts = rules.flatMap { [$0.name, $0.step, $0.flow] }.compactMap { text -> ImportedPath? in
      if case .path(let path) = text { path } else { nil }
    }
    return (props + context + rules.flatMap { $0.props + $0.context }).map(\.path) + texts
  }

  /// Whether the mapping names the paths of subject, time and name, so that it needs no format's default paths.
  package var isComplete: Bool { !subject.isEmpty && !timestamp.isEmpty && !name.isEmpty }

  /// The columns that a CSV file must have, in groups of alternatives: one column of each group is enough.
  /// Columns of conditions are optional.
  package var neededColumns: [[ImportedPath]] {
    let required = [subject, id, timestamp, name].filter { !$0.isEmpty }
    guard needsAllColumns else { return required }
    return required + (user.map { $0.isEmpty ? [] : [$0] } ?? []) + valuePaths.map { [$0] }
  }

  /// Creates a mapping that changes nothing.
  package init(source: String) {
    self.source = source
  }
}

/// A rule that converts an imported event to a native one.
package struct EventMapping: Hashable, Sendable {
  /// The event's name, or `nil` to convert the imported name to a valid one.
  package var name: MappedText?
  /// The step's ID, or `nil` for an event without a step.
  package var step: MappedText?
  /// The flow, or `nil` for an event that names no flow.
  package var flow: MappedText?
  /// The properties to add.
  package var props: [MappedMember] = []
  /// The members of `ctx` to add.
  package var context: [MappedMember] = []
  /// The conditions under which the rule applies, all of which must hold.
  package var conditions: [MappingCondition] = []

  /// Creates a rule that changes nothing.
  package init() {}
}

/// A text in a mapping: a literal, or the path to a value of the record.
package enum MappedText: Hashable, Sendable {
  /// A fixed text.
  case literal(String)
  /// The path to the text in the record.
  case path(ImportedPath)
}

/// A member to add to `props` or `ctx`, and the path to its value in the record.
package struct MappedMember: Hashable, Sendable {
  /// The key of the new member.
  package let key: String
  /// The path to the value.
  package let path: ImportedPath
  /// The type of the value.
  package var type = ValueType.asWritten

  /// Creates a member.
  package init(key: String, path: ImportedPath, type: ValueType = .asWritten) {
    self.key = key
    self.path = path
    self.type = type
  }

  /// The type that a mapped value becomes.
  package enum ValueType: String, Hashable, Sendable {
    /// The value's own type. A cell of CSV that reads as a number or a boolean is one.
    case asWritten
    /// A string, also if a cell of CSV reads as a number, such as a postal code.
    case text
  }
}

/// A condition that the value at a path is one of several.
package struct MappingCondition: Hashable, Sendable {
  /// The path to the value.
  package let path: ImportedPath
  /// The allowed values. Null matches an absent value.
  package let values: [PropertyValue]

  /// Creates a condition.
  package init(path: ImportedPath, values: [PropertyValue]) {
    self.path = path
    self.values = values
  }
}
