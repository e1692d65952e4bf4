import FunnelModel

/// The names of the records seen so far: what each becomes, and which rules it has. A name is folded and looked up once. Not to be shared
/// between threads.
final class EventNames {
  /// A name.
  final class Entry {
    /// The name as the records have it, for people.
    let foreign: String
    /// The native form; empty if nothing is left of the name.
    let native: [UInt8]
    /// The rules for it; nil if the mapping does not name it, and none if the event is left out.
    private let rules: [EventRule]?
    /// Chooses among the rules.
    let chooser: RuleChooser
    /// The number of the name, which no other one of the run has.
    let number: Int
    fileprivate(set) var count = 0

    fileprivate init(foreign: String, native: [UInt8], rules: [EventRule]?, number: Int, plan: ImportPlan) {
      (self.foreign, self.native, self.rules, self.number) = (foreign, native, rules, number)
      chooser = RuleChooser(rules, plan: plan)
    }

    /// Counts a record that became events.
    func countRecord() { count += 1 }

    /// Returns the native form, or throws if nothing is left of the name.
    func nativeName() throws(RecordTranslator.Refusal) -> [UInt8] {
      guard !native.isEmpty else {
        throw RecordTranslator.Refusal(
          isMissing: false,
          message: "name: \(foreign.quoted) has no letter from a to z and no digit; give it a name in a mapping (--map)")
      }
      return native
    }

    fileprivate var renaming: ImportCounts.Renaming {
      let literal: [UInt8]? = if case .literal(let text) = rules?.first?.name { text } else { nil }
      return ImportCounts.Renaming(
        foreign: foreign, native: String(decoding: literal ?? native, as: UTF8.self), isFolded: rules == nil)
    }
  }

  /// The number of names that are remembered; the memory is cleared when there are more.
  private static let entriesMax = 4096

  private let plan: ImportPlan
  private var entries: [Entry] = []
  private let numbers = TextNumbers()
  private let key = LineBuffer()
  /// The number of names so far, including those that were forgotten.
  private var nameCount = 0
  /// Counts of names that were forgotten since the last call of ``moveCounts(to:)``.
  private var forgotten = ImportCounts()

  init(_ plan: ImportPlan) {
    self.plan = plan
  }

  /// Returns the name of a record.
  func entry(of record: ImportedRecord) throws(RecordTranslator.Refusal) -> Entry {
    key.removeAll()
    let foreignStart = try readName(of: record)
    if let number = numbers.find(key.bytes) { return entries[number] }
    return add(foreignFrom: foreignStart)
  }

  /// Moves the counts to a tally.
  func moveCounts(to aggregate: inout ImportCounts) {
    aggregate.add(forgotten)
    forgotten = ImportCounts()
    for entry in entries where entry.count > 0 {
      aggregate.rename(entry.renaming, count: entry.count)
      entry.count = 0
    }
  }

  /// Writes the bytes that decide what a name becomes to ``key``: the native name is folded from them. Returns the offset in them of the
  /// name as the record has it.
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

  private static func text(_ slot: Int, of record: ImportedRecord) -> UnsafeRawBufferPointer? {
    guard let field = record.field(slot), let text = record.fields[field].string, !text.isEmpty else { return nil }
    return text
  }

  private func add(foreignFrom start: Int) -> Entry {
    if entries.count == Self.entriesMax { forgetAll() }
    let key = Array(key.bytes)
    let foreign = Array(key[start...])
    let native = nativeForm(of: key)
    // Of a screen the type and the name together say more than the name alone, which a track may have, too.
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

  private func forgetAll() {
    for entry in entries where entry.count > 0 { forgotten.rename(entry.renaming, count: entry.count) }
    entries.removeAll()
    numbers.removeAll()
  }
}
