internal import FunnelDecoding
internal import FunnelModel

/// A dictionary reduced to some keys: the combinations of their values that occur, and the combination of each content.
struct DimensionProjection: Sendable {
  /// The combination of each content, by the content's number. Empty if the projection is trivial.
  private(set) var combinationOfContent: [UInt32] = []
  /// The encoded entries of each combination, one for each key; `nil` for a key without a value.
  private(set) var combinations: [[[UInt8]?]] = []

  /// The projection on no keys, in which all contents are equal.
  static let trivial = DimensionProjection()

  private init() {}

  /// Projects a dictionary on keys, or returns `nil` if the values of one of them are not in the dictionary.
  ///
  /// - Parameter dispensable: Keys whose values may be missing from the dictionary. They then have no value.
  init?(_ dictionary: DimensionDictionary, keys: [String], dispensable: Set<String> = []) {
    guard dictionary.hasValues(of: keys, except: dispensable) else { return nil }
    let keyOfEntry = dictionary.entries.map {
      $0.withEntry { entry -> Int? in
        guard let entry, entry.value != nil else { return nil }
        return keys.firstIndex { entry.key.elementsEqual($0.utf8) }
      }
    }
    var numbers: [[UInt32?]: UInt32] = [:]
    for content in 0..<dictionary.contentCount {
      var entries: [UInt32?] = Array(repeating: nil, count: keys.count)
      for entry in dictionary.entries(ofContent: content) {
        if let key = keyOfEntry[Int(entry)] { entries[key] = entry }
      }
      let number = numbers[entries] ?? UInt32(combinations.count)
      if Int(number) == combinations.count {
        numbers[entries] = number
        combinations.append(entries.map { $0.map { dictionary.entries[Int($0)] } })
      }
      combinationOfContent.append(number)
    }
  }

  /// Projects a dictionary on all keys: each content is a combination of its own, without its measured
  /// properties. Returns `nil` if a key is not indexed, or if the values of one of `keys` are not in the
  /// dictionary.
  ///
  /// - Parameter dispensable: Keys whose values may be missing from the dictionary.
  init?(wholeOf dictionary: DimensionDictionary, keys: [String], dispensable: Set<String>) {
    guard !dictionary.dropsAll, dictionary.dropped.isEmpty, dictionary.hasValues(of: keys, except: dispensable) else {
      return nil
    }
    combinationOfContent = (0..<UInt32(dictionary.contentCount)).map { $0 }
    combinations = (0..<dictionary.contentCount).map { content in
      dictionary.entries(ofContent: content).map { dictionary.entries[Int($0)] }
    }
  }

  /// Whether the projection has no keys.
  var isTrivial: Bool { combinations.isEmpty }

  /// The number of combinations, at least one.
  var count: Int { max(combinations.count, 1) }

  /// Returns the values of a combination in the order of the keys, null for a key without a value.
  func values(_ combination: Int) -> [PropertyValue] {
    guard !combinations.isEmpty else { return [] }
    return combinations[combination].map { bytes in bytes?.withEntry { $0?.value?.propertyValue } ?? .null }
  }

  /// Returns the keys of a combination with their values, each key once.
  func members(_ combination: Int) -> [(key: String, value: PropertyValue)] {
    guard !combinations.isEmpty else { return [] }
    return combinations[combination].compactMap { bytes in
      bytes?.withEntry { entry in
        guard let entry, let value = entry.value else { return nil }
        return (entry.key.string, value.propertyValue)
      }
    }
  }

  /// Calls `body` with the members of a combination, sorted by key. They are valid only during the call.
  func withMembers<Result>(_ combination: Int, _ body: ([EventMember]) -> Result) -> Result {
    let entries = combinations.isEmpty ? [] : combinations[combination].compactMap { $0 }
    return entries.flatMap { $0 }.withBorrowedElements { bytes in
      var members: [EventMember] = []
      var offset = 0
      while offset < bytes.count, let (entry, byteCount) = DictionaryEntry.read(bytes.dropFirst(offset)) {
        if let value = entry.value { members.append(EventMember(key: BorrowedText(entry.key.raw), value: value)) }
        offset += byteCount
      }
      assert(offset == bytes.count, "the entries of a dictionary are valid")
      members.sort { $0.key.precedes($1.key) }
      return body(members)
    }
  }
}
