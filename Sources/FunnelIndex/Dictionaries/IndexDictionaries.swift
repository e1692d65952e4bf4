/// The dictionaries of a recorder or of a sorted run, which decode the codes of its rows.
///
/// In their encoding, a number takes four bytes, and lists and byte strings are preceded by their count. The encoding
/// of a `ctx` or `props` dictionary is: 1 if no key is indexed, else 0; the dropped keys, sorted; the entries; the ends
/// of the contents; the entry IDs of all contents.
package struct IndexDictionaries: Sendable {
  /// The event types by code, each encoded as an ``EventTypeText``.
  var types: [[UInt8]] = []
  /// Whether all types were recorded. If there are too many, there is no index.
  var hasAllTypes = true
  /// The contents of `ctx`.
  var context = DimensionDictionary()
  /// The contents of `props`.
  var props = DimensionDictionary()

  /// Appends the encoded event types.
  func appendTypes(to bytes: inout UniqueBytes) { bytes.append(strings: types) }

  /// Decodes event types, or returns `nil` if the bytes are invalid.
  static func types(from bytes: BorrowedBytes) -> [[UInt8]]? {
    var reader = NumberReader(bytes)
    guard let types = reader.strings(), reader.isAtEnd else { return nil }
    return types
  }

  /// Returns whether events of a type precede those of another if time, seq and ID are equal.
  func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
    types[Int(a)].withBorrowedElements { a in
      types[Int(b)].withBorrowedElements { b in
        guard let a = EventTypeText(a), let b = EventTypeText(b) else { return false }
        return a.precedes(b)
      }
    }
  }
}

/// The distinct contents of `ctx`, or of `props`: each is the set of keys with their values that an event has.
/// Content 0 is empty.
struct DimensionDictionary: Sendable {
  /// The entries: the distinct pairs of key and value, each encoded as a ``DictionaryEntry``.
  var entries: [[UInt8]] = []
  /// The end of each content's entries in ``entriesOfContents``. A content begins at the end of the one before.
  var contentEnds: [UInt32] = [0]
  /// The IDs of the entries of all contents. Those of one content are sorted by key.
  var entriesOfContents: [UInt32] = []
  /// The keys that are not indexed.
  var dropped: Set<[UInt8]> = []
  /// Whether no key is indexed at all.
  var dropsAll = false

  /// The number of contents.
  var contentCount: Int { contentEnds.count }

  /// Returns the IDs of the entries of a content.
  func entries(ofContent content: Int) -> ArraySlice<UInt32> {
    entriesOfContents[(content == 0 ? 0 : Int(contentEnds[content - 1]))..<Int(contentEnds[content])]
  }

  /// The keys of the measured properties, in the order of their entries, which is that of the measured columns.
  var measuredKeys: [[UInt8]] {
    entries.compactMap { $0.withEntry { entry in entry?.value == nil ? entry?.key.array : nil } }
  }

  /// Returns whether the contents have the values of all keys except the dispensable ones: none of the others
  /// is dropped or measured.
  func hasValues(of keys: [String], except dispensable: Set<String>) -> Bool {
    let missing = dropped.union(measuredKeys)
    return keys.allSatisfy { dispensable.contains($0) || !dropsAll && !missing.contains(Array($0.utf8)) }
  }
}

extension DimensionDictionary {
  /// Appends the encoded dictionary.
  func append(to bytes: inout UniqueBytes) {
    assert(isSound, "a dictionary is consistent")
    bytes.append(number: UInt32(dropsAll ? 1 : 0))
    bytes.append(strings: dropped.sorted { $0.lexicographicallyPrecedes($1) })
    bytes.append(strings: entries)
    bytes.append(list: contentEnds)
    bytes.append(list: entriesOfContents)
  }

  /// Decodes a dictionary, or returns `nil` if the bytes are invalid or one of the numbers is out of range.
  init?(_ bytes: BorrowedBytes) {
    var reader = NumberReader(bytes)
    guard let flag = reader.number(), let dropped = reader.strings(), let entries = reader.strings(),
      let ends = reader.list(), let ids = reader.list(), reader.isAtEnd
    else { return nil }
    self.init(
      entries: entries, contentEnds: ends, entriesOfContents: ids, dropped: Set(dropped), dropsAll: flag != 0)
    guard isSound else { return nil }
  }

  /// Whether all offsets and IDs are in range, and all entries are valid.
  private var isSound: Bool {
    guard contentEnds.first == 0, Int(contentEnds.last ?? 0) == entriesOfContents.count else { return false }
    guard zip(contentEnds, contentEnds.dropFirst()).allSatisfy({ $0 <= $1 }) else { return false }
    guard entriesOfContents.allSatisfy({ Int($0) < entries.count }) else { return false }
    return entries.allSatisfy { entry in entry.withBorrowedElements { DictionaryEntry.read($0)?.byteCount == $0.count } }
  }
}

extension UniqueArray where Element == UInt8 {
  fileprivate mutating func append(strings: [[UInt8]]) {
    append(number: UInt32(strings.count))
    for string in strings {
      append(number: UInt32(string.count))
      string.withBorrowedElements { append($0) }
    }
  }

  fileprivate mutating func append(list: [UInt32]) {
    append(number: UInt32(list.count))
    for number in list { append(number: number) }
  }
}

/// Decodes numbers, strings and lists one after another. The methods return `nil` if the bytes end too early.
private struct NumberReader {
  private let bytes: BorrowedBytes
  private var offset = 0

  private static let numberBytes = MemoryLayout<UInt32>.size

  init(_ bytes: BorrowedBytes) {
    self.bytes = bytes
  }

  /// Whether all bytes have been decoded.
  var isAtEnd: Bool { offset == bytes.count }

  mutating func number() -> UInt32? {
    guard bytes.count - offset >= Self.numberBytes else { return nil }
    defer { offset += Self.numberBytes }
    return bytes.load(at: offset, as: UInt32.self)
  }

  mutating func strings() -> [[UInt8]]? {
    guard let count = number(), Int(count) <= bytes.count - offset else { return nil }
    var strings: [[UInt8]] = []
    strings.reserveCapacity(Int(count))
    for _ in 0..<count {
      guard let length = number(), Int(length) <= bytes.count - offset else { return nil }
      strings.append(bytes[offset..<offset + Int(length)].array)
      offset += Int(length)
    }
    return strings
  }

  mutating func list() -> [UInt32]? {
    guard let count = number(), Int(count) <= (bytes.count - offset) / Self.numberBytes else { return nil }
    return (0..<count).compactMap { _ in number() }
  }
}
