package import FunnelModel

/// The compiled form of a format and a mapping: the values that are read from a record, and the composition of an event.
///
/// A plan is created once for a run and shared by all threads.
package struct ImportPlan: Sendable {
  /// The format of the records.
  package let format: ImportFormat
  /// The app of all events, or `nil` if the mapping names none.
  let app: [UInt8]?
  /// The zone of times that have none, or `nil` to reject such times.
  let sourceZone: TimeZoneRules?
  /// The notation of times in the format.
  let timeNotation: FormatLayout.TimeNotation
  /// The form of times that the mapping names, or `nil` for none.
  let timeForm: TimeForm?

  /// The paths that are read, and the treatment of all other values.
  let tree: FieldTree
  /// The candidates for the subject. The first one with a value is used.
  let subject: [Candidate]
  /// The source of the user.
  let user: UserPlan
  /// The records that only link two IDs, by their names.
  let links: [[UInt8]: LinkPlan]
  /// The candidates for the time. The first one with a value is used.
  let timestamp: [Candidate]
  /// The slot of the time at which the vendor received the record, and its path, or `nil` if records have none.
  let receipt: Candidate?
  /// The source of the time of sending, or `nil` if events have none.
  let sending: SendingPlan?
  /// The source of the ID.
  let identity: IdentityPlan
  /// Whether an event without an ID of its own is left without one.
  let leavesIDToDecoder: Bool
  /// Whether a record that should link two IDs but has only one is dropped.
  let dropsIncompleteLinks: Bool
  /// The members of a record that are no part of a derived ID.
  let stamps: RecordStamps
  /// The slots of two integers by which the source orders its records, or `nil` if it does not order them.
  let sequence: (batch: Int, record: Int)?
  /// The source of the name.
  let name: NamePlan
  /// Whether the prefix `$device:` of Mixpanel is removed from the subject.
  let dropsDevicePrefix: Bool

  /// The members of `ctx`. The first slot with a value is used.
  let context: [Member]
  /// The properties that the mapping adds to every event.
  let props: [Member]
  /// The members of `props` and `ctx` that the mapping adds to some or all events.
  package let mappedMembers: [MappedMember]
  /// The mapping rules, by the imported or the native name of the event.
  let rules: [[UInt8]: [EventRule]]
  /// Whether events without a rule are kept.
  let keepsOtherEvents: Bool

  /// A member of `props` or `ctx`: its key, the slots of which the first with a value is used, and the type of the value.
  struct Member: Sendable {
    let key: [UInt8]
    let slots: [Int]
    let type: MappedMember.ValueType
  }

  /// A slot, and its path for messages.
  struct Candidate: Sendable {
    let slot: Int
    let path: String
  }

  /// The source of an event's user, by slots (see ``FormatLayout/UserRule``).
  struct UserPlan: Sendable {
    /// The candidates for the ID of the account. The first one with a value is used.
    let accounts: [Candidate]
    /// An ID that is an account's if it differs from that of the device, or `nil` if records have none.
    let distinct: (id: Candidate, device: Candidate)?
    /// The slot of a boolean that says, if it is `false`, that ``distinct`` is no account. `nil` if records have none.
    let identifiedSlot: Int?
  }

  /// The source of the time of sending, by slots (see ``FormatLayout/SendingRule``).
  struct SendingPlan: Sendable {
    /// The slots of the time. The first one with a value is used.
    let slots: [Int]
    /// The slots of values that forbid the correction of the clock, unless they are `false`.
    let exceptions: [Int]
  }

  /// The source of the two IDs of a record that links them, by slots (see ``FormatLayout/LinkRule``).
  struct LinkPlan: Sendable {
    /// The candidate for the subject, before those of every record, or `nil` if there is none.
    let subject: Candidate?
    let user: Candidate
  }

  /// The source of an event's ID, by slots (see ``FormatLayout/IdentityRule``).
  enum IdentityPlan: Sendable {
    /// The first value.
    case first([Int])
    /// The values of several parts, joined by a separator: of each part the first value.
    case joined([[Int]], separator: [UInt8])
  }

  /// The source of an event's name, by slots (see ``FormatLayout/NameRule``).
  enum NamePlan: Sendable {
    /// The first value.
    case first([Candidate])
    /// The call of the Segment specification.
    case call(type: Int, event: Int, name: Int)
    /// The name of the event's schema.
    case schema(type: Int, name: Int, action: Int, screen: Int)
    /// The text after the last dot of the first value.
    case lastPart([Candidate])
  }

  /// Compiles a format and its mapping.
  ///
  /// - Parameters:
  ///   - format: The format, which must not be native.
  ///   - mapping: The mapping, or `nil` for none.
  ///   - subject: A path that replaces the subject of the mapping and of the format, or `nil`.
  ///   - sourceZone: The zone of times that have none, or `nil` to reject such times.
  package init(
    _ format: ImportFormat, mapping: ImportMapping? = nil, subject: ImportedPath? = nil, sourceZone: TimeZoneRules? = nil
  ) {
    self.init(format, FormatLayout.of(format), mapping: mapping, subject: subject, sourceZone: sourceZone)
  }

  /// Compiles a format as clients of the vendor send it, which differs from its exports.
  package init(sent format: ImportFormat) { self.init(format, FormatLayout.sent(format)) }

  private init(
    _ format: ImportFormat, _ layout: FormatLayout, mapping: ImportMapping? = nil, subject: ImportedPath? = nil,
    sourceZone: TimeZoneRules? = nil
  ) {
    precondition(format != .native, "native events are read as they are")
    var compiler = ImportPlanCompiler(layout: layout)
    compiler.mark(layout)
    let mapping = mapping ?? ImportMapping(source: "")
    let subjectPaths = subject.map { [$0] } ?? (mapping.subject.isEmpty ? layout.subject : mapping.subject)
    self.format = format
    app = mapping.app.map { Array($0.utf8) }
    self.sourceZone = sourceZone
    timeNotation = layout.timeNotation
    timeForm = mapping.timeForm
    self.subject = compiler.consumed(subjectPaths, isIdentity: true)
    let people = Self.isPostHog(subjectPaths, of: layout) ? FormatLayout.posthogColumns : layout
    if mapping.user == nil, subject == nil, Set(subjectPaths.map(\.text)).isSubset(of: people.subject.map(\.text)) {
      user = compiler.user(people.user)
      links = compiler.links(people.links)
    } else {
      // The accounts of the format need not belong to a subject of another kind, such as a company.
      user = compiler.user(FormatLayout.UserRule(accounts: subject == nil ? mapping.user ?? [] : []))
      links = [:]
    }
    timestamp = compiler.consumed(mapping.timestamp.isEmpty ? layout.timestamp : mapping.timestamp)
    receipt = layout.receipt.map { Candidate(slot: compiler.slot($0), path: $0.text) }
    sending = layout.sending.map { compiler.sending($0) }
    leavesIDToDecoder = layout.leavesIDToDecoder
    dropsIncompleteLinks = layout.dropsIncompleteLinks
    identity = compiler.identity(mapping.id.isEmpty ? layout.id : .first(mapping.id))
    stamps = layout.stamps
    sequence = layout.sequence.map { (compiler.slot($0.batch), compiler.slot($0.record)) }
    name = compiler.name(mapping.name.isEmpty ? layout.name : .first(mapping.name))
    dropsDevicePrefix = format == .mixpanel
    context = compiler.context(layout.context, mapping.context)
    props = mapping.props.map { compiler.member($0) }
    mappedMembers = mapping.props + mapping.context + mapping.events.values.joined().flatMap { $0.props + $0.context }
    rules = compiler.rules(mapping.events)
    keepsOtherEvents = mapping.keepsOtherEvents
    tree = compiler.tree
  }
}

// The columns of PostHog's exports as tables.
extension ImportPlan {
  /// The columns of the device and of the account in a table of PostHog's events.
  package static var columnsOfPostHog: (device: String, account: String, all: [String]) {
    let layout = FormatLayout.posthogColumns
    let paths = layout.subject + layout.user.accounts + layout.links.values.compactMap(\.subject)
    return (layout.subject[0].text, layout.subject[1].text, paths.map(\.text))
  }

  /// Whether paths of the subject in records of no known format are those of PostHog: the device, else the account.
  private static func isPostHog(_ subject: [ImportedPath], of layout: FormatLayout) -> Bool {
    layout.subject.isEmpty && subject.map(\.text) == FormatLayout.posthogColumns.subject.map(\.text)
  }
}

extension ImportPlan {
  /// Whether no path of a record has its ID, so that all IDs are derived from the content.
  package var derivesIDs: Bool {
    if case .first(let slots) = identity { slots.isEmpty } else { false }
  }

  /// Returns the paths of the IDs of persons, devices and sessions in records of a format.
  package static func identityPaths(_ format: ImportFormat) -> [ImportedPath] {
    guard format != .native else { return [] }
    let layout = FormatLayout.of(format)
    return layout.subject + layout.identities + layout.user.paths.filter { !layout.subject.contains($0) }
  }

  /// The use of a value of a record.
  package enum Use: Hashable, Sendable {
    /// The value may become part of an event.
    case taken
    /// The value is skipped.
    case ignored
    /// The value is personal data and left out.
    case leftOut
  }

  /// Returns the use of the value at a path, which is given by its keys from the root.
  package func use(of keys: [String]) -> Use {
    let (node, depth) = tree.deepestNode(of: keys)
    if depth == keys.count, tree.nodes[node].slot != nil { return .taken }
    return Self.use(tree.nodes[node].treatment)
  }

  /// Returns whether the plan reads a value below a path, which is given by its keys from the root.
  package func takesPart(of keys: [String]) -> Bool {
    let (node, depth) = tree.deepestNode(of: keys)
    return depth == keys.count && tree.readsDescendant(of: node)
  }

  private static func use(_ treatment: FieldTree.Treatment) -> Use {
    switch treatment {
    case .ignored, .unmapped: .ignored
    case .property: .taken
    case .leftOut: .leftOut
    }
  }
}

/// The compiled form of a mapping rule: the changes that turn an imported event into a native one.
struct EventRule: Sendable {
  /// The name, or `nil` for the native form of the imported name.
  var name: RuleText?
  /// The step, or `nil` for none.
  var step: RuleText?
  /// The flow, or `nil` for none.
  var flow: RuleText?
  /// The members that the rule adds to `props`.
  var props: [ImportPlan.Member]
  /// The members that the rule adds to `ctx`.
  var context: [ImportPlan.Member]
  /// The conditions under which the rule applies, all of which must be met.
  var conditions: [Condition]

  /// A condition: the value in a slot is one of some values.
  struct Condition: Sendable {
    let slot: Int
    let values: [PropertyValue]
  }

  /// The source of a text.
  enum RuleText: Sendable {
    /// The text itself.
    case literal([UInt8])
    /// The value in a slot, and its path for messages.
    case slot(Int, path: String)
  }
}
