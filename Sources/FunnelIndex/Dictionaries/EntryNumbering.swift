/// A common numbering of the entries of several dictionaries, which may grow (``DictionaryEntry``).
///
/// Not thread-safe: the thread that builds the unions owns it.
final class EntryNumbering {
  /// The encoded entries, by their common IDs.
  private(set) var entries: [[UInt8]] = []
  /// The index in ``keys`` of each entry's key.
  private(set) var keyOfEntry: [Int] = []
  /// The value of each entry.
  private(set) var valueOfEntry: [Value] = []
  /// The keys of `ctx` or `props`.
  private(set) var keys: [Key] = []
  /// The common IDs of the entries of each dictionary.
  private(set) var commonEntries: [[UInt32]] = []
  private var entryTable = InternTable()
  private var keyTable = InternTable()

  /// The value of a dictionary entry.
  enum Value {
    /// No value: the key is measured.
    case measured
    /// A number.
    case number(MeasuredNumber)
    /// A string or a boolean.
    case other

    fileprivate init(_ entry: DictionaryEntry?) {
      if let entry, entry.value == nil {
        self = .measured
      } else if let number = entry?.number {
        self = .number(number)
      } else {
        self = .other
      }
    }
  }

  /// A key of `ctx` or `props`, with statistics of its values.
  struct Key {
    /// The key as UTF-8.
    let bytes: [UInt8]
    /// The number of distinct values.
    var valueCount: UInt32 = 0
    /// Whether all values are numbers.
    var hasOnlyNumbers = true
    /// Whether one of the dictionaries measures it.
    var isMeasured = false
  }

  /// Adds the entries that were appended to the dictionaries since the last update.
  func update(_ sources: [DimensionDictionary]) {
    precondition(commonEntries.count <= sources.count, "the dictionaries only grow")
    for (index, source) in sources.enumerated() {
      if index == commonEntries.count { commonEntries.append([]) }
      for entry in source.entries[commonEntries[index].count...] { commonEntries[index].append(findOrInsert(entry)) }
    }
  }

  /// Returns the ID of the entry that marks a key as measured.
  func measuredEntry(ofKey key: Int) -> UInt32 {
    var bytes = UniqueBytes(capacity: 64)
    keys[key].bytes.withBorrowedElements { DictionaryEntry.append(measured: $0, to: &bytes) }
    return findOrInsert(bytes.bytes.array)
  }

  /// Returns the ID of an entry, which is added if it is new.
  private func findOrInsert(_ bytes: [UInt8]) -> UInt32 {
    let (id, isNew) = entryTable.findOrInsert(bytes)
    guard isNew else { return id }
    let (keyBytes, value) = bytes.withEntry { ($0?.key.array ?? [], Value($0)) }
    let (keyID, isNewKey) = keyTable.findOrInsert(keyBytes)
    let key = Int(keyID)
    if isNewKey { keys.append(Key(bytes: keyBytes)) }
    entries.append(bytes)
    keyOfEntry.append(key)
    valueOfEntry.append(value)
    switch value {
    case .measured: keys[key].isMeasured = true
    case .number: keys[key].valueCount += 1
    case .other:
      keys[key].valueCount += 1
      keys[key].hasOnlyNumbers = false
    }
    assert(entries.count == Int(id) + 1 && key < keys.count, "IDs are assigned in order")
    return id
  }
}
