public import FunnelModel

/// A format and a mapping, compiled: which values of a record are looked at, and what an event is made of.
///
/// A plan is made once for a run and shared by all threads.
public struct ImportPlan: Sendable {
  /// The format of the records.
  public let format: ImportFormat
  /// The app of all events, if the mapping names it.
  let app: [UInt8]?
  /// The zone of times that name none.
  let sourceZone: TimeZoneRules?
  let timeReading: FormatLayout.TimeReading

  let tree: FieldTree
  /// The slots of the subject's candidates, with their paths for messages.
  let subject: [Candidate]
  let timestamp: [Candidate]
  let identity: IdentityPlan
  /// The slots of the integers by which the source orders its records, if it does.
  let sequence: (batch: Int, record: Int)?
  let name: NamePlan
  /// Whether the subject may begin with Mixpanel's `$device:`.
  let dropsDevicePrefix: Bool

  /// Members of `ctx`; the first slot that has a value counts.
  let context: [(key: [UInt8], slots: [Int])]
  /// Properties that the mapping adds to every event.
  let props: [(key: [UInt8], slot: Int)]
  /// The members of `props` and `ctx` that the mapping adds to some or all events.
  public let mappedMembers: [MappedMember]
  /// What becomes of events, by their foreign or native names.
  let rules: [[UInt8]: [EventRule]]
  let keepsOtherEvents: Bool

  struct Candidate: Sendable {
    let slot: Int
    let path: String
  }

  enum IdentityPlan: Sendable {
    case first([Int])
    case joined([Int], separator: [UInt8])
    case derived([Int])
  }

  enum NamePlan: Sendable {
    case first([Candidate])
    case call(type: Int, event: Int, name: Int)
    case lastPart([Candidate])
  }

  /// Compiles a format with the mapping for it, if there is one.
  ///
  /// - Parameters:
  ///   - subject: The path of the subject instead of those of the mapping and the format, to try another one.
  ///   - sourceZone: The zone of times that name none.
  public init(
    _ format: ImportFormat, mapping: ImportMapping? = nil, subject: ImportedPath? = nil, sourceZone: TimeZoneRules? = nil
  ) {
    precondition(format != .native, "native events are read as they are")
    let layout = FormatLayout.of(format)
    var compiler = ImportPlanCompiler(layout: layout)
    compiler.mark(layout)
    let mapping = mapping ?? ImportMapping(source: "")
    let subjectPaths = subject.map { [$0] } ?? (mapping.subject.isEmpty ? layout.subject : mapping.subject)
    self.format = format
    app = mapping.app.map { Array($0.utf8) }
    self.sourceZone = sourceZone
    timeReading = layout.timeReading
    self.subject = compiler.consumed(subjectPaths, isIdentity: true)
    timestamp = compiler.consumed(mapping.timestamp.isEmpty ? layout.timestamp : mapping.timestamp)
    identity = compiler.identity(mapping.id.isEmpty ? layout.id : .first(mapping.id))
    sequence = layout.sequence.map { (compiler.slot($0.batch), compiler.slot($0.record)) }
    name = compiler.name(mapping.name.isEmpty ? layout.name : .first(mapping.name))
    dropsDevicePrefix = format == .mixpanel
    context = compiler.context(layout.context, mapping.context)
    props = mapping.props.map { (Array($0.key.utf8), compiler.slot($0.path)) }
    mappedMembers = mapping.props + mapping.context + mapping.events.values.joined().flatMap { $0.props + $0.context }
    rules = compiler.rules(mapping.events)
    keepsOtherEvents = mapping.keepsOtherEvents
    tree = compiler.tree
  }
}

extension ImportPlan {
  /// The paths at which records of a format have ids of persons, devices and sessions.
  public static func identityPaths(_ format: ImportFormat) -> [ImportedPath] {
    guard format != .native else { return [] }
    let layout = FormatLayout.of(format)
    return layout.subject + layout.identities
  }

  /// What an import does with a value of a record.
  public enum Use: Hashable, Sendable {
    /// It may become part of an event.
    case taken
    /// It is not looked at.
    case ignored
    /// It is personal, and left out.
    case leftOut
  }

  /// Returns what an import does with the value at a path, given by its keys from the root.
  public func use(of keys: [String]) -> Use {
    var node = FieldTree.root
    for key in keys {
      let bytes = Array(key.utf8)
      guard let child = tree.nodes[node].children.first(where: { $0.key == bytes }) else {
        return Self.use(tree.nodes[node].treatment)
      }
      node = child.node
    }
    return tree.nodes[node].slot == nil ? Self.use(tree.nodes[node].treatment) : .taken
  }

  /// Returns whether an import takes a value somewhere below the path that is given by its keys from the root.
  public func takesPart(of keys: [String]) -> Bool {
    var node = FieldTree.root
    for key in keys {
      let bytes = Array(key.utf8)
      guard let child = tree.nodes[node].children.first(where: { $0.key == bytes }) else { return false }
      node = child.node
    }
    return takesPart(of: node)
  }

  private func takesPart(of node: Int) -> Bool {
    tree.nodes[node].children.contains { tree.nodes[$0.node].slot != nil || takesPart(of: $0.node) }
  }

  private static func use(_ treatment: FieldTree.Treatment) -> Use {
    switch treatment {
    case .ignored, .unmapped: .ignored
    case .property: .taken
    case .leftOut: .leftOut
    }
  }
}

/// What one foreign event becomes, compiled.
struct EventRule: Sendable {
  var name: RuleText?
  var step: RuleText?
  var flow: RuleText?
  var props: [(key: [UInt8], slot: Int)]
  var context: [(key: [UInt8], slot: Int)]
  var conditions: [(slot: Int, values: [PropertyValue])]

  enum RuleText: Sendable {
    case literal([UInt8])
    case slot(Int, path: String)
  }
}
