import FunnelModel

/// The order in which the values of records of one layout are hashed for a derived ID: with keys sorted at every level, and
/// without the stamps of sending and receiving.
///
/// So the ID does not depend on the order of keys or columns, and a record that was sent or exported twice has one ID. Two
/// records that differ in anything else have different IDs.
struct RecordHashOrder {
  /// A value that is hashed.
  private struct Entry {
    let field: Int32
    /// The nesting depth, which tells the members of an object from those after it.
    let depth: UInt8
    /// The length and the text of its key in ``RecordHashOrder/keys``.
    let key: PackedRange
  }

  private var entries: [Entry] = []
  /// The keys of the entries with their lengths, as they are hashed. Records of one layout have the same keys.
  private var keys: [UInt8] = []
  private let stamps: RecordStamps

  /// Computes the order for a record.
  init(of fields: ImportedFields, without stamps: RecordStamps) {
    self.stamps = stamps
    addMembers(0..<fields.count, of: fields, depth: 0)
  }

  /// Adds the members of an object, sorted by their keys.
  private mutating func addMembers(_ range: Range<Int>, of fields: ImportedFields, depth: UInt8) {
    var members: [(key: [UInt8], field: Int)] = []
    var index = range.lowerBound
    while index < range.upperBound {
      let key = [UInt8](copying: fields[index].key)
      if depth > 1 || !stamps.contains(key) { members.append((key, index)) }
      index = fields.end(of: index)
    }
    // Equal keys keep their order, since the last one may count.
    members.sort { $0.key == $1.key ? $0.field < $1.field : $0.key.lexicographicallyPrecedes($1.key) }
    for member in members { add(member.field, of: fields, depth: depth) }
  }

  private mutating func add(_ index: Int, of fields: ImportedFields, depth: UInt8) {
    assert(Int(depth) <= Limits.nestingLevelsMax, "the parser limits the depth")
    let keyStart = keys.count
    DerivedID.appendLength(fields[index].key.count, to: &keys)
    keys.append(copying: fields[index].key)
    entries.append(Entry(field: Int32(index), depth: depth, key: PackedRange(keyStart..<keys.count)))
    let range = index + 1..<fields.end(of: index)
    if fields[index].isObject { addMembers(range, of: fields, depth: depth + 1) }
    if fields[index].isArray { addElements(range, of: fields, depth: depth + 1) }
  }

  /// Adds the elements of an array in their order. Key-value pairs of Google Analytics are sorted by their keys.
  private mutating func addElements(_ range: Range<Int>, of fields: ImportedFields, depth: UInt8) {
    var elements: [(key: [UInt8], field: Int)] = []
    var arePairs = stamps.sortsPairs
    var index = range.lowerBound
    while index < range.upperBound {
      let key: [UInt8]? =
        if fields[index].isObject, let member = fields.member("key", of: index), let text = fields[member].string {
          [UInt8](copying: text)
        } else {
          nil
        }
      arePairs = arePairs && key != nil
      elements.append((key ?? [], index))
      index = fields.end(of: index)
    }
    if arePairs {
      elements.removeAll { stamps.contains($0.key) }
      elements.sort { $0.key == $1.key ? $0.field < $1.field : $0.key.lexicographicallyPrecedes($1.key) }
    }
    for element in elements { add(element.field, of: fields, depth: depth) }
  }

  /// Returns the ID of a record with this order: the first 128 bits of the SHA-256, in hexadecimal.
  ///
  /// - Parameter hashed: A buffer that is reused for the bytes that are hashed. Its content is replaced.
  func id(of fields: ImportedFields, in hashed: LineBuffer) -> [UInt8] {
    hashed.removeAll()
    for entry in entries {
      let value = fields[Int(entry.field)]
      // Exports write large numbers as numbers or as strings.
      let kind: UInt8 = value.isStringOrNumber ? .max : UInt8(value.kind.rawValue)
      let key = keys.span.extracting(entry.key.range)
      if let string = value.string {
        hashed.appendHashed(entry.depth, kind, key: key, value: string)
      } else {
        let number = value.numberText ?? []
        hashed.appendHashed(entry.depth, kind, key: key, value: number.span)
      }
    }
    return DerivedID.text(of: hashed.bytes)
  }
}

/// The members of a record that say when it was sent, received or exported, and so differ between two copies of one record.
struct RecordStamps: Sendable {
  /// The keys of the members.
  private let keys: Set<[UInt8]>
  /// The beginning of further keys, or `nil` if there are none.
  private let prefix: [UInt8]?
  /// Whether arrays of key-value pairs are sorted by key, and the keys apply to them too.
  let sortsPairs: Bool

  init(_ keys: [String] = [], prefix: String? = nil, sortsPairs: Bool = false) {
    self.keys = Set(keys.map { Array($0.utf8) })
    self.prefix = prefix.map { Array($0.utf8) }
    self.sortsPairs = sortsPairs
  }

  /// Returns whether a key is that of a stamp.
  func contains(_ key: [UInt8]) -> Bool { keys.contains(key) || prefix.map { key.starts(with: $0) } ?? false }
}
