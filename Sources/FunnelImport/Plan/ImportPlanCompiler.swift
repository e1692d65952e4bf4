import FunnelModel

/// Compiles the paths of a format and a mapping to slots of a ``FieldTree``.
struct ImportPlanCompiler {
  private(set) var tree = FieldTree()

  /// Creates a compiler for a format.
  init(layout: FormatLayout) {
    // Nodes inherit from their parents when they are inserted, so the objects of properties come first.
    for path in layout.properties { tree.setProperties(path) }
  }

  /// Marks the values that the format leaves out.
  mutating func mark(_ layout: FormatLayout) {
    for path in layout.structural { tree.update(path) { $0.isConsumed = true } }
    for path in layout.subject + layout.user.paths + layout.identities { tree.update(path) { $0.isIdentity = true } }
    for path in layout.personal { tree.setTreatment(.leftOut, of: path) }
    if layout.countsUnmapped { tree.setTreatmentOfRoot(.unmapped) }
  }

  /// Returns the slot of a path.
  mutating func slot(_ path: ImportedPath) -> Int { tree.findOrInsertSlot(path) }

  /// Returns the slots of paths, and marks their values as not being properties.
  mutating func consumed(_ paths: [ImportedPath], isIdentity: Bool = false) -> [ImportPlan.Candidate] {
    paths.map { path in
      tree.update(path) { node in
        node.isConsumed = true
        node.isIdentity = isIdentity
      }
      return ImportPlan.Candidate(slot: tree.findOrInsertSlot(path), path: path.text)
    }
  }

  /// Compiles the rule for users.
  mutating func user(_ rule: FormatLayout.UserRule) -> ImportPlan.UserPlan {
    ImportPlan.UserPlan(
      accounts: consumed(rule.accounts, isIdentity: true),
      distinct: rule.distinct.map { (id: candidate($0.id), device: candidate($0.device)) },
      identifiedSlot: rule.identified.map { slot($0) })
  }

  /// Compiles the rule for the time of sending.
  mutating func sending(_ rule: FormatLayout.SendingRule) -> ImportPlan.SendingPlan {
    ImportPlan.SendingPlan(slots: consumedSlots(rule.paths), exceptions: consumedSlots(rule.exceptions))
  }

  /// Compiles the rules for records that link two IDs. Their values stay properties of other records, unless they are marked.
  mutating func links(_ rules: [String: FormatLayout.LinkRule]) -> [[UInt8]: ImportPlan.LinkPlan] {
    var links: [[UInt8]: ImportPlan.LinkPlan] = [:]
    // The order only affects the numbers of the slots.
    for (name, rule) in rules.sorted(by: { $0.key < $1.key }) {
      links[Array(name.utf8)] = ImportPlan.LinkPlan(subject: rule.subject.map { candidate($0) }, user: candidate(rule.user))
    }
    return links
  }

  private mutating func candidate(_ path: ImportedPath) -> ImportPlan.Candidate {
    ImportPlan.Candidate(slot: slot(path), path: path.text)
  }

  /// Compiles the rule for IDs.
  mutating func identity(_ rule: FormatLayout.IdentityRule) -> ImportPlan.IdentityPlan {
    switch rule {
    case .first(let paths): return .first(consumedSlots(paths))
    case .joined(let parts, let separator):
      return .joined(parts.map { consumedSlots($0) }, separator: separator.withUTF8Buffer { Array($0) })
    }
  }

  /// Compiles the rule for names.
  mutating func name(_ rule: FormatLayout.NameRule) -> ImportPlan.NamePlan {
    switch rule {
    case .first(let paths): .first(consumed(paths))
    case .lastPart(let paths): .lastPart(consumed(paths))
    case .call(let type, let event, let name):
      .call(type: consumed([type])[0].slot, event: consumed([event])[0].slot, name: consumed([name])[0].slot)
    case .schema(let type, let name, let action, let screen):
      // The name of a screen stays a property, because other events may have a property of the same path.
      .schema(type: slot(type), name: slot(name), action: slot(action), screen: slot(screen))
    }
  }

  /// Returns the members of `ctx` of a format, followed by those of a mapping, which replace members with the same key.
  mutating func context(
    _ members: [(key: String, paths: [ImportedPath])], _ added: [MappedMember]
  ) -> [ImportPlan.Member] {
    let kept = members.filter { member in !added.contains { $0.key == member.key } }
    return kept.map { ImportPlan.Member(key: Array($0.key.utf8), slots: consumedSlots($0.paths), type: .asWritten) }
      + added.map { ImportPlan.Member(key: Array($0.key.utf8), slots: consumedSlots([$0.path]), type: contextType(of: $0)) }
  }

  /// Returns the type of a member of `ctx`. Versions are texts, for 10.10 is not 10.1.
  private func contextType(of member: MappedMember) -> MappedMember.ValueType {
    ["app_version", "os_version"].contains(member.key) ? .text : member.type
  }

  /// Compiles a member that a mapping adds to `props`.
  mutating func member(_ member: MappedMember) -> ImportPlan.Member {
    ImportPlan.Member(key: Array(member.key.utf8), slots: [tree.findOrInsertSlot(member.path)], type: member.type)
  }

  /// Compiles the rules of a mapping, by the name of the event.
  mutating func rules(_ events: [String: [EventMapping]]) -> [[UInt8]: [EventRule]] {
    var rules: [[UInt8]: [EventRule]] = [:]
    // The order only affects the numbers of the slots. Sorting makes the plan deterministic.
    for (name, events) in events.sorted(by: { $0.key < $1.key }) { rules[Array(name.utf8)] = events.map { rule($0) } }
    return rules
  }

  private mutating func rule(_ event: EventMapping) -> EventRule {
    EventRule(
      name: text(event.name), step: text(event.step), flow: text(event.flow),
      props: event.props.map { member($0) },
      context: event.context.map {
        ImportPlan.Member(key: Array($0.key.utf8), slots: [tree.findOrInsertSlot($0.path)], type: contextType(of: $0))
      },
      conditions: event.conditions.map { EventRule.Condition(slot: tree.findOrInsertSlot($0.path), values: $0.values) })
  }

  private mutating func text(_ text: MappedText?) -> EventRule.RuleText? {
    switch text {
    case nil: nil
    case .literal(let text): .literal(Array(text.utf8))
    case .path(let path): .slot(tree.findOrInsertSlot(path), path: path.text)
    }
  }

  private mutating func consumedSlots(_ paths: [ImportedPath]) -> [Int] { consumed(paths).map(\.slot) }
}
