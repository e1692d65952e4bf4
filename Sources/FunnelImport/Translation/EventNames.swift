import FunnelModel

/// The names of the records seen so far: what each becomes, and which rules it has. A name is folded and looked up once.
struct EventNames {
  private struct Entry {
    /// The name as the records have it, for people.
    let foreign: String
    /// The native form; empty if nothing is left of the name.
    let native: [UInt8]
    /// The rules for it; nil if the mapping does not name it, and none if the event is left out.
    let rules: [EventRule]?
    var count = 0
  }

  /// The number of names that are remembered; the memory is cleared when there are more.
  private static let entriesMax = 4096

  private let plan: ImportPlan
  private var entries: [Entry] = []
  private var numbers: [[UInt8]: Int] = [:]
  private var key: [UInt8] = []
  /// Counts of names that were forgotten since the last call of ``moveCounts(to:)``.
  private var forgotten = ImportTally()

  init(_ plan: ImportPlan) {
    self.plan = plan
  }

  /// Returns the number of a record's name, valid until the next call.
  mutating func number(of record: borrowing RecordWalker) throws(RecordTranslator.Refusal) -> Int {
    key.removeAll(keepingCapacity: true)
    let foreign = try readName(of: record)
    if let number = numbers[key] { return number }
    return add(foreign)
  }

  /// Returns the native form of a name.
  func nativeName(of number: Int) throws(RecordTranslator.Refusal) -> [UInt8] {
    guard !entries[number].native.isEmpty else {
      throw RecordTranslator.Refusal(
        isMissing: false,
        message:
          "name: no letter from a to z and no digit is left of \(entries[number].foreign.quoted); a mapping can name it (--map)"
      )
    }
    return entries[number].native
  }

  /// Returns a name as the records have it, and its native form, which is empty if nothing is left of it.
  func forms(of number: Int) -> (foreign: String, native: String) {
    (entries[number].foreign, String(decoding: entries[number].native, as: UTF8.self))
  }

  func rules(of number: Int) -> [EventRule]? { entries[number].rules }

  /// Counts a record that became events.
  mutating func count(_ number: Int) { entries[number].count += 1 }

  /// Moves the counts to a tally.
  mutating func moveCounts(to tally: inout ImportTally) {
    tally.add(forgotten)
    forgotten = ImportTally()
    for index in entries.indices where entries[index].count > 0 {
      tally.rename(entries[index].foreign, to: renaming(entries[index]))
      entries[index].count = 0
    }
  }

  private func renaming(_ entry: Entry) -> ImportTally.Renaming {
    let literal: [UInt8]? =
      if case .literal(let text) = entry.rules?.first?.name { text } else { nil }
    return ImportTally.Renaming(
      native: String(decoding: literal ?? entry.native, as: UTF8.self), count: entry.count, isFolded: entry.rules == nil)
  }

  /// Writes the bytes that decide what a name becomes to ``key``: the native name is folded from them. Returns the part of them that is the
  /// name as the record has it.
  private mutating func readName(of record: borrowing RecordWalker) throws(RecordTranslator.Refusal) -> Range<Int> {
    switch plan.name {
    case .first(let candidates): return try appendName(candidates, of: record)
    case .lastPart(let candidates):
      let range = try appendName(candidates, of: record)
      return range
    case .call(let type, let event, let name):
      let type = Self.text(type, of: record)
      let isScreen = type.map { $0.elementsEqual("screen".utf8) || $0.elementsEqual("page".utf8) } ?? false
      if isScreen, let type, let name = Self.text(name, of: record) {
        key.append(contentsOf: type)
        key.append(UInt8(ascii: " "))
        key.append(contentsOf: name)
        return type.count + 1..<key.count
      }
      guard let text = isScreen ? type : Self.text(event, of: record) ?? type else {
        throw RecordTranslator.Refusal(isMissing: true, message: "name: the record has neither event nor type")
      }
      key.append(contentsOf: text)
      return 0..<key.count
    }
  }

  private mutating func appendName(
    _ candidates: [ImportPlan.Candidate], of record: borrowing RecordWalker
  ) throws(RecordTranslator.Refusal) -> Range<Int> {
    for candidate in candidates {
      let field = record.slots[candidate.slot]
      guard field >= 0, !record.fields[field].isAbsent else { continue }
      guard let text = record.fields[field].string else {
        throw RecordTranslator.Refusal(
          isMissing: false, message: "name: \(candidate.path) is \(record.fields[field].kindName); a string is needed")
      }
      key.append(contentsOf: text)
      return 0..<key.count
    }
    throw RecordTranslator.Refusal(
      isMissing: true, message: "name: the record has none of \(candidates.map(\.path).joined(separator: ", "))")
  }

  private static func text(_ slot: Int, of record: borrowing RecordWalker) -> UnsafeRawBufferPointer? {
    let field = record.slots[slot]
    guard field >= 0, let text = record.fields[field].string, !text.isEmpty else { return nil }
    return text
  }

  private mutating func add(_ foreign: Range<Int>) -> Int {
    if entries.count == Self.entriesMax { forgetAll() }
    let foreignBytes = Array(key[foreign])
    let native = nativeForm
    entries.append(
      Entry(
        foreign: String(decoding: foreignBytes, as: UTF8.self), native: native,
        rules: plan.rules[foreignBytes] ?? plan.rules[key] ?? plan.rules[native]))
    numbers[key] = entries.count - 1
    return entries.count - 1
  }

  private var nativeForm: [UInt8] {
    guard case .lastPart = plan.name, let dot = key.lastIndex(of: UInt8(ascii: ".")) else { return NameFolding.fold(key) }
    return NameFolding.fold(key[(dot + 1)...])
  }

  private mutating func forgetAll() {
    var counted = ImportTally()
    for entry in entries where entry.count > 0 { counted.rename(entry.foreign, to: renaming(entry)) }
    forgotten.add(counted)
    entries.removeAll()
    numbers.removeAll()
  }
}
