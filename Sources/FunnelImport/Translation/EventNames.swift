import FunnelModel

/// A cache of the event names of imported records, with the native form and the mapping rules of each.
///
/// Each name is converted and looked up in the mapping once. Not thread-safe: each worker owns one.
final class EventNames {
  /// A name with its native form and its rules.
  final class Entry {
    /// The name as the records have it, for messages.
    let foreign: String
    /// The native form, or no bytes if the name has no letter from a to z and no digit.
    let native: [UInt8]
    /// The rules of the name, empty if the mapping drops the event, or `nil` if the mapping does not list the name.
    private let rules: [EventRule]?
    /// Selects the rules that apply to a record.
    let chooser: RuleChooser
    /// The number of the name, unique in the run.
    let number: Int
    /// The number of records with the name since the last call of ``EventNames/moveCounts(to:)``.
    fileprivate(set) var count = 0

    fileprivate init(foreign: String, native: [UInt8], rules: [EventRule]?, number: Int, plan: ImportPlan) {
      self.foreign = foreign
      self.native = native
      self.rules = rules
      self.number = number
      chooser = RuleChooser(rules, plan: plan)
    }

    /// Counts a record that became events.
    func countRecord() { count += 1 }

    /// Returns the native form.
    ///
    /// - Throws: A rejection if the native form is empty.
    func nativeName() throws(RecordTranslator.Refusal) -> [UInt8] {
      guard !native.isEmpty else {
        throw RecordTranslator.Refusal(
          isMissing: false,
          message: "name: \(foreign.quoted) has no letter from a to z and no digit; give it a name in a mapping (--map)")
      }
      return native
    }

    /// The entry of the name in the summary of the import.
    fileprivate var renaming: ImportCounts.Renaming {
      let literal: [UInt8]? = if case .literal(let text) = rules?.first?.name { text } else { nil }
      return ImportCounts.Renaming(
        foreign: foreign, native: String(decoding: literal ?? native, as: UTF8.self), isFolded: rules == nil)
    }
  }

  /// The maximum number of cached names. A further name clears the cache.
  private static let entriesMax = 4096

  private let plan: ImportPlan
  /// The cached names, by their indices in ``numbers``.
  private var entries: [Entry] = []
  private let numbers = TextNumbers()
  /// The bytes from which the native form of the current name is derived.
  private let key = LineBuffer()
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
  func entry(of record: ImportedRecord) throws(RecordTranslator.Refusal) -> Entry {
    key.removeAll()
    let foreignStart = try readName(of: record)
    if let number = numbers.find(key.bytes) { return entries[number] }
    return add(foreignFrom: foreignStart)
  }

  /// Adds the counts to an aggregate and resets them.
  func moveCounts(to aggregate: inout ImportCounts) {
    aggregate.add(removed)
    removed = ImportCounts()
    for entry in entries where entry.count > 0 {
      aggregate.rename(entry.renaming, count: entry.count)
      entry.count = 0
    }
  }

  /// Replaces ``key`` by the bytes from which the native form is derived. Returns the offset of the record's own name in
  /// these bytes.
  private func readName(of record: ImportedRecord) throws(RecordTranslator.Refusal) -> Int {
    switch plan.name {
    case .first(let candidates), .lastPart(let candidates):
      try appendName(candidates, of: record)
      return 0
    case .call(let type, let event, let name):
      let type = Self.text(type, of: record)
      let isScreen = type.map { $0.elementsEqual("screen".utf8) || $0.elementsEqual("page".utf8) } ?? false
      if isScreen, let type, let name = Self.text(name, of: record) {
        key.append(raw: type)
        key.append(UInt8(ascii: " "))
        key.append(raw: name)
        return type.count + 1
      }
      guard let text = isScreen ? type : Self.text(event, of: record) ?? type else {
        throw RecordTranslator.Refusal(isMissing: true, message: "name: the record has neither event nor type")
      }
      key.append(raw: text)
      return 0
    }
  }

  /// Appends the first candidate that has a value to ``key``.
  private func appendName(
    _ candidates: [ImportPlan.Candidate], of record: ImportedRecord
  ) throws(RecordTranslator.Refusal) {
    for candidate in candidates {
      guard let field = record.field(candidate.slot), !record.fields[field].isAbsent else { continue }
      guard let text = record.fields[field].string else {
        throw RecordTranslator.Refusal(
          isMissing: false, message: "name: \(candidate.path) is \(record.fields[field].kindName); a string is needed")
      }
      return key.append(raw: text)
    }
    throw RecordTranslator.Refusal(
      isMissing: true, message: "name: the record has none of \(candidates.map(\.path).joined(separator: ", "))")
  }

  /// Returns the string in a slot, or `nil` if it is missing, empty or another value.
  private static func text(_ slot: Int, of record: ImportedRecord) -> UnsafeRawBufferPointer? {
    guard let field = record.field(slot), let text = record.fields[field].string, !text.isEmpty else { return nil }
    return text
  }

  /// Adds an entry for ``key``.
  private func add(foreignFrom start: Int) -> Entry {
    if entries.count == Self.entriesMax { removeEntries() }
    let key = Array(key.bytes)
    let foreign = Array(key[start...])
    let native = nativeForm(of: key)
    // The type and the name of a screen are more specific than the name alone, which a track call may have too.
    let names = foreign == key ? [foreign, native] : [key, native, foreign]
    let entry = Entry(
      foreign: String(decoding: foreign, as: UTF8.self), native: native,
      rules: names.lazy.compactMap { self.plan.rules[$0] }.first, number: nameCount, plan: plan)
    nameCount += 1
    key.withUnsafeBytes { _ = numbers.add($0) }
    entries.append(entry)
    return entry
  }

  private func nativeForm(of key: [UInt8]) -> [UInt8] {
    guard case .lastPart = plan.name, let dot = key.lastIndex(of: UInt8(ascii: ".")) else { return NameFolding.fold(key) }
    return NameFolding.fold(key[(dot + 1)...])
  }

  private func removeEntries() {
    for entry in entries where entry.count > 0 { removed.rename(entry.renaming, count: entry.count) }
    entries.removeAll()
    numbers.removeAll()
  }
}
