import FunnelModel

/// A cache of the event names of imported records, with the native form and the mapping rules of each.
///
/// Each name is converted and looked up in the mapping once. Not thread-safe: each worker owns one.
final class EventNames {
  /// A name with its native form and its rules.
  final class Entry {
    /// The name as the records have it, for messages.
    let imported: String
    /// The native form.
    let native: [UInt8]
    /// The IDs that the records with the name link, or `nil` if they are ordinary events.
    let link: ImportPlan.LinkPlan?
    /// The rules of the name, empty if the mapping drops the event, or `nil` if the mapping does not list the name.
    private let rules: [EventRule]?
    /// Selects the rules that apply to a record.
    let chooser: RuleChooser
    /// The ID of the name. It is never used again, even if the name is removed from the cache.
    let id: Int
    /// The number of records with the name since the last call of ``EventNames/moveCounts(to:)``.
    fileprivate(set) var count = 0

    fileprivate init(
      imported: String, native: [UInt8], link: ImportPlan.LinkPlan?, rules: [EventRule]?, id: Int, plan: ImportPlan
    ) {
      self.imported = imported
      self.native = native
      self.link = link
      self.rules = rules
      self.id = id
      chooser = RuleChooser(rules, isLink: link != nil, plan: plan)
    }

    /// Counts a record that became events.
    func countRecord() { count += 1 }

    /// The entry of the name in the summary of the import.
    fileprivate var renaming: ImportCounts.Renaming {
      let literal: [UInt8]? = if case .literal(let text) = rules?.first?.name { text } else { nil }
      if literal == nil, link != nil {
        return ImportCounts.Renaming(imported: imported, native: UserLinkEvent.name, isFolded: false)
      }
      return ImportCounts.Renaming(
        imported: imported, native: String(decoding: literal ?? native, as: UTF8.self), isFolded: rules == nil)
    }
  }

  /// The maximum number of cached names. A further name clears the cache.
  private static let entriesMax = 4096

  private let plan: ImportPlan
  /// The cached names, by their IDs in ``table``.
  private var entries: [Entry] = []
  private let table = TextInterner()
  /// The bytes from which the native form of the current name is derived.
  private var key: [UInt8] = []
  /// A byte after the types of calls that link IDs. It is in no name, so a track call of that name is another entry.
  private static let linkMark: UInt8 = 0xFF
  /// The number of names so far, including those that were removed from the cache.
  private var nameCount = 0
  /// The counts of names that were removed since the last call of ``moveCounts(to:)``.
  private var removed = ImportCounts()

  /// Creates an empty cache for a plan.
  init(_ plan: ImportPlan) {
    self.plan = plan
  }

  /// Returns the entry of a record's name.
  ///
  /// - Throws: A rejection if the record has no name, or if the name is not a string.
  func entry(of record: ImportedRecord) throws(ImportRejection) -> Entry {
    let importedStart: Int
    switch plan.name {
    case .first(let candidates), .lastPart(let candidates):
      let name = try text(candidates, of: record)
      if let id = table.find(name) { return entries[id] }
      key = [UInt8](copying: name)
      importedStart = 0
    case .call(let type, let event, let name):
      key.removeAll(keepingCapacity: true)
      importedStart = try readName(ofCall: record.text(type), event: record.text(event), name: record.text(name))
    case .schema(let type, let name, let action, let screen):
      key.removeAll(keepingCapacity: true)
      importedStart = try readName(
        ofType: record.text(type), schema: record.text(name), action: record.text(action), screen: record.text(screen))
    }
    if let id = table.find(key.span) { return entries[id] }
    return add(importedFrom: importedStart)
  }

  /// Adds the counts to those of an import and resets them.
  func moveCounts(to counts: inout ImportCounts) {
    counts.add(removed)
    removed = ImportCounts()
    for entry in entries where entry.count > 0 {
      counts.rename(entry.renaming, count: entry.count)
      entry.count = 0
    }
  }

  /// Appends the name of an event of Snowplow to ``key``, given the strings in its fields. Returns the offset of the record's own
  /// name in ``key``.
  private func readName(
    ofType type: Span<UInt8>?, schema: Span<UInt8>?, action: Span<UInt8>?, screen: Span<UInt8>?
  ) throws(ImportRejection) -> Int {
    if let type, type.isEqual(to: "struct") {
      guard let action else { throw .missing("name: the record is a structured event, but has no se_action") }
      key.append(copying: action)
      return 0
    }
    if let schema, schema.isEqual(to: "screen_view"), let screen {
      key += "screen ".utf8
      let start = key.count
      key.append(copying: screen)
      return start
    }
    if let schema {
      key.append(copying: schema)
    } else if let type {
      key.append(copying: type)
    } else {
      throw .missing("name: the record has neither event_name nor event")
    }
    return 0
  }

  /// Appends the name of a call of the Segment specification to ``key``, given the strings in its fields. Returns the offset of the
  /// record's own name in ``key``.
  private func readName(
    ofCall type: Span<UInt8>?, event: Span<UInt8>?, name: Span<UInt8>?
  ) throws(ImportRejection) -> Int {
    if let type, type.isEqual(to: "identify") || type.isEqual(to: "alias") {
      key.append(copying: type)
      key.append(Self.linkMark)
      return 0
    }
    if let type, type.isEqual(to: "screen") || type.isEqual(to: "page") {
      key.append(copying: type)
      guard let name else { return 0 }
      key.append(UInt8(ascii: " "))
      key.append(copying: name)
      return type.count + 1
    }
    if let event {
      key.append(copying: event)
    } else if let type {
      key.append(copying: type)
    } else {
      throw .missing("name: the record has neither event nor type")
    }
    return 0
  }

  /// Returns the text of the first candidate that has a value.
  @_lifetime(copy record)
  private func text(
    _ candidates: [ImportPlan.Candidate], of record: ImportedRecord
  ) throws(ImportRejection) -> Span<UInt8> {
    for candidate in candidates {
      guard let field = record.field(candidate.slot), !record.fields[field].isAbsent else { continue }
      guard let text = record.fields[field].string else {
        throw .invalid(
          "name: \(candidate.path) is \(record.fields[field].kindName); a string is needed")
      }
      return text
    }
    throw .missing(
      "name: the record has none of \(candidates.map(\.path).joined(separator: ", "))")
  }

  /// Adds an entry for ``key``.
  private func add(importedFrom start: Int) -> Entry {
    if entries.count == Self.entriesMax { removeEntries() }
    let tableKey = self.key
    let isLinkCall = tableKey.last == Self.linkMark
    let key = isLinkCall ? Array(tableKey.dropLast()) : tableKey
    let imported = Array(key[start...])
    let native = nativeForm(of: key)
    // The type and the name of a screen are more specific than the name alone, which a track call may have too.
    let names = imported == key ? [imported, native] : [key, native, imported]
    let entry = Entry(
      imported: String(decoding: imported, as: UTF8.self), native: native, link: link(key, isLinkCall: isLinkCall),
      rules: names.lazy.compactMap { self.plan.rules[$0] }.first, id: nameCount, plan: plan)
    nameCount += 1
    let (id, isNew) = table.findOrInsert(tableKey.span)
    assert(isNew && id == entries.count, "the table and the list contain the same names")
    entries.append(entry)
    return entry
  }

  /// Returns the IDs that records of a name link, or `nil` if they are ordinary events.
  private func link(_ name: [UInt8], isLinkCall: Bool) -> ImportPlan.LinkPlan? {
    if case .call = plan.name, !isLinkCall { return nil }
    return plan.links[name]
  }

  private func nativeForm(of key: [UInt8]) -> [UInt8] {
    guard case .lastPart = plan.name, let dot = key.lastIndex(of: UInt8(ascii: ".")) else {
      return NameFolding.fold(key.span)
    }
    return NameFolding.fold(key.span.extracting(droppingFirst: dot + 1))
  }

  private func removeEntries() {
    for entry in entries where entry.count > 0 { removed.rename(entry.renaming, count: entry.count) }
    entries.removeAll()
    table.removeAll()
  }
}
