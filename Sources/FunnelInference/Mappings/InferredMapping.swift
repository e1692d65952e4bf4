import FunnelImport
package import FunnelModel

/// A mapping inferred from the records of an input: a rule for each imported event name.
package struct InferredMapping: Sendable {
  /// An imported event name and its inferred rule.
  package struct Name: Hashable, Sendable {
    /// The key in the mapping: the imported name, or the native form if several events have the same imported name.
    package var key: String
    /// The number of records.
    package var count: Int
    /// The inferred rule, or `nil` to drop the event.
    package var rule: EventMapping?
    /// The reason for the rule. Empty if the rule only sets the native form of the name.
    package var reason: String
  }

  /// The format of the records.
  package let format: ImportFormat
  /// The app of the mapping.
  package let app: String
  /// The names, most frequent first.
  package private(set) var names: [Name] = []
  /// The columns of a CSV file, or `nil` if the mapping needs none.
  package let columns: InferredColumns?
  /// Groups of names that look like answers of one prompt, of which none grants or none denies it.
  let unclearAnswers: [[String]]
  /// The number of records that were examined.
  package let records: Int
  /// The number of records without a name.
  private let nameless: Int
  /// The numbers of names that the draft leaves out, and of their records.
  private let rareNames: Int
  private let rareRecords: Int
  /// The users of the records.
  private let accounts: AccountStatistics
  /// The records that the given mapping can't read.
  private let failures: RoleFailures
  /// The mapping that was given, or `nil` for none.
  private let given: ImportMapping?

  /// Infers a mapping.
  ///
  /// - Parameters:
  ///   - sample: The records.
  ///   - app: The app, or `nil` for that of the records.
  package init(_ sample: MappingSample, app: String?) {
    format = sample.format
    self.app = app ?? sample.given?.app ?? sample.app ?? Self.unknownApp
    columns = sample.columns
    records = sample.records
    let permissions = PermissionNames(sample.names.keys.map(\.native))
    unclearAnswers = permissions.unclear
    let spellings = Dictionary(grouping: sample.names.keys, by: \.imported)
    var byKey: [String: Name] = [:]
    let conditions = [columns?.field?.condition].compactMap(\.self)
    let flow = columns?.flows.map { MappedText.path(ImportedPath(column: $0.column)) }
    for (name, count) in sample.names.sorted(by: { ($0.key.imported, $0.key.native) < ($1.key.imported, $1.key.native) }) {
      let key = (spellings[name.imported]?.count ?? 0) > 1 ? name.native : name.imported
      var (rule, reason) = Self.rule(name, permissions)
      rule.conditions = conditions
      rule.flow = flow
      byKey[key, default: Name(key: key, count: 0, rule: rule, reason: reason)].count += count
    }
    Self.keepApart(&byKey)
    let sorted = byKey.values.sorted { ($1.count, $0.key) < ($0.count, $1.key) }
    let links = Set(sample.names.keys.filter(\.isLink).map(\.imported))
    let drops = sample.given?.keepsOtherEvents == false
    names = sorted.prefix(Self.namesMax).map { name in
      var name = name
      // The given mapping drops the events that it does not list.
      if drops, !links.contains(name.key) { name.rule = nil }
      return name
    }
    rareNames = max(sorted.count - Self.namesMax, 0)
    rareRecords = sorted.dropFirst(Self.namesMax).reduce(sample.uncounted) { $0 + $1.count }
    nameless = sample.nameless
    accounts = sample.accounts
    failures = sample.failures
    given = sample.given
  }

  /// The placeholder for an unknown app. A mapping needs an app to be usable unchanged.
  private static let unknownApp = "app"

  /// Returns the rule for a name and the reason for it.
  private static func rule(
    _ name: MappingSample.Name, _ permissions: PermissionNames
  ) -> (EventMapping, reason: String) {
    var rule = EventMapping()
    if name.isLink {
      rule.name = .literal(name.native)
      return (rule, "links two ids of one person")
    }
    if let meaning = permissions.interpretations[name.native] {
      rule.name = .literal(meaning.name)
      return (rule, meaning.name == name.native ? "" : "looks like \(meaning.name)")
    }
    if let path = name.screenPath {
      rule.name = .literal(StepEventName.viewed.rawValue)
      rule.step = .path(path)
      return (rule, "a screen, named by \(path)")
    }
    let isStep = StepEventName.isAboutStep(name.native) && StepEventName(rawValue: name.native) == nil
    if isStep, name.native.utf8.count + otherPrefix.utf8.count <= Limits.nameBytesMax {
      rule.name = .literal(otherPrefix + name.native)
      return (
        rule, "becomes \(otherPrefix)\(name.native), because an event named \(StepEventName.prefix)… needs the member step"
      )
    }
    rule.name = .literal(name.native)
    return (rule, name.isHashed ? "becomes \(name.native), because its letters can't be kept" : "")
  }

  /// Gives different native names to names that lost what tells them apart, such as `注文OK` and `審査OK`. Names that differ only in case
  /// and separators stay one event, which their reasons tell.
  private static func keepApart(_ names: inout [String: Name]) {
    let groups = Dictionary(grouping: names.values.filter { $0.rule?.step == nil }) { $0.rule?.name }
    for group in groups.values where group.count > 1 {
      guard Set(group.map { spelling(of: $0.key) }).count > 1 else {
        let first = group.min { ($1.count, $0.key) < ($0.count, $1.key) }
        for name in group where name.key != first?.key && name.reason.isEmpty {
          names[name.key]?.reason = "the same event as \((first?.key ?? "").quoted)"
        }
        continue
      }
      for name in group {
        guard case .literal(let native) = name.rule?.name, name.reason.isEmpty else { continue }
        let other = group.filter { $0.key != name.key }.map(\.key).min() ?? ""
        let distinct = NameFolding.distinguished(native, of: name.key)
        names[name.key]?.rule?.name = .literal(distinct)
        names[name.key]?.reason = "becomes \(distinct), because \(other.quoted) would become \(native) too"
      }
    }
  }

  /// Returns a name without case, blanks and the usual separators of words.
  private static func spelling(of name: String) -> String {
    name.lowercased().filter { !$0.isWhitespace && !"_-.:/".contains($0) }
  }

  /// The prefix of the name of an event whose own name has that of events about a step, but which names no step.
  private static let otherPrefix = "e_"

  /// The maximum number of names in a draft.
  private static let namesMax = 500

  /// The inferred mapping: the given one, or that of the columns, with a rule for each name.
  private var mapping: ImportMapping {
    var mapping = (columns == nil ? given : nil) ?? columns?.mapping(format) ?? ImportMapping(source: "")
    if columns != nil, let given {
      // The given mapping does not name all columns, but how the input is read.
      mapping.user = given.user ?? mapping.user
      if !given.id.isEmpty { mapping.id = given.id }
      (mapping.header, mapping.encoding, mapping.records) = (given.header, given.encoding, given.records)
      (mapping.app, mapping.events, mapping.keepsOtherEvents) = (given.app, given.events, given.keepsOtherEvents)
      mapping.props += given.props
      mapping.context = given.context
    }
    mapping.format = format
    mapping.app = mapping.app ?? app
    // Values of other fields are not listed, or have the same text as one that is.
    if columns?.field != nil { mapping.keepsOtherEvents = false }
    for name in names where mapping.events[name.key] == nil { mapping.events[name.key] = name.rule.map { [$0] } ?? [] }
    return mapping
  }

  /// The mapping as JSON, with one event per line.
  package var json: String { mapping.json(order: names.map(\.key), undecidedTime: columns?.possibleForms ?? []) }

  /// The decisions that the draft needs from the user, as a sentence, or `nil` if it needs none.
  package var decision: String? {
    let decisions = (columns?.decisions ?? []) + failures.decisions(given)
    return decisions.isEmpty ? nil : decisions.joined(separator: "; ")
  }

  /// Sentences about the evidence for each rule.
  package var evidence: [String] {
    var lines = [
      "\(Quantity.count(records)) records of \(format.rawValue); this is a draft: edit it (null leaves an event out), then use it with --map"
    ]
    if app == Self.unknownApp { lines.append("the records do not name the app; replace the placeholder \"app\"") }
    if let columns { lines += columns.evidence }
    lines += failures.sentences
    if let sentence = accounts.sentence { lines.append(sentence) }
    lines += unclearAnswers.map {
      "\($0.joined(separator: ", ")) look like answers to a prompt, but no permission is named, or a grant or a denial is missing: none is treated as an answer"
    }
    for name in names {
      lines.append("\(name.count) × \(name.key)\(name.reason.isEmpty ? "" : ": \(name.reason)")")
    }
    if rareNames > 0 {
      lines.append("left out: \(Quantity.count(rareNames)) rarer names, with \(Quantity.count(rareRecords)) records")
    }
    if nameless > 0 { lines.append("\(Quantity.count(nameless)) records have no name, or can't be read") }
    return lines
  }
}
