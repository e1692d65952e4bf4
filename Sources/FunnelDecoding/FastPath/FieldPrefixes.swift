import FunnelModel

/// A cache of field prefixes: sequences of envelope fields whose values repeat from line to line.
///
/// An event's name, app, flow and step have few distinct values and mostly come in the same order. A field
/// prefix begins with the delimiter before such a field and ends after the colon of the next field with varying
/// values, as in `,"name":"step_viewed","app":"trendy","subject":`. If the bytes of a line equal a cached
/// prefix, its fields need no parsing and no validation. Plain prefixes, such as `,"ts":`, set no field of the
/// event's type and are built in. Each entry predicts the next one.
///
/// Entries are never evicted. Not thread-safe: each worker owns one.
final class FieldPrefixes {
  typealias Reference = UnsafeMutablePointer<Entry>

  /// A cached field prefix.
  struct Entry {
    /// The length of the text, in bytes.
    let textCount: Int
    /// The text, followed by zeros.
    fileprivate let text: UnsafeMutableRawPointer
    /// A byte mask of ``headCount`` bytes that selects those of the text.
    fileprivate let mask: UnsafeRawPointer
    /// The prefix that followed this one last time, which predicts the next one.
    var successor: Reference
    /// The number of the prefix among those that are not plain, from 1, or 0 for a plain prefix.
    let number: UInt64
    fileprivate let hash: UInt64
    /// The number of tokens, from the first delimiter to the last colon.
    let tokenCount: Int
    /// The fields whose values the prefix contains, as a set of ``KnownField/bit``.
    let fields: UInt32
    /// The field whose key ends the prefix and whose value follows it.
    let next: KnownField
    // The values. They point into the copy of the text. Those that are not in ``fields`` are unused.
    fileprivate let name: UnsafeRawBufferPointer
    fileprivate let app: UnsafeRawBufferPointer
    fileprivate let flow: UnsafeRawBufferPointer?
    fileprivate let step: UnsafeRawBufferPointer?
    fileprivate let flowVersion: Int64?

    /// Whether the prefix is plain and fits into two words.
    var isShortAndPlain: Bool { number == 0 && textCount <= 16 }

    /// The first two words of the text, padded with zeros.
    var words: (UInt64, UInt64) { (ByteWords.word(text), ByteWords.word(text + 8)) }

    /// The masks of the bytes of ``words`` that belong to the text.
    var wordMasks: (UInt64, UInt64) { (ByteWords.word(mask), ByteWords.word(mask + 8)) }

    /// The end offset of the event's name in the text, or `nil` if the prefix does not contain the name.
    var nameEnd: Int? {
      name.baseAddress.map { $0 - UnsafeRawPointer(text) + name.count }
    }

    /// Whether the bytes at an address are those of the prefix. ``headCount`` bytes must be readable there, and
    /// ``LineParser/paddingBytes`` after the text of the prefix.
    @inline(__always)
    func stands(at address: UnsafePointer<UInt8>) -> Bool {
      // The first 96 bytes, more than most prefixes have, are compared under a mask. A branch for each length
      // would be mispredicted.
      let bytes = UnsafeRawPointer(address)
      guard !ByteWords.hasBits(differences(bytes, 0)) else { return false }
      guard textCount > 16 else { return true }
      let first = differences(bytes, 16) | differences(bytes, 32)
      let second = differences(bytes, 48) | differences(bytes, 64)
      guard !ByteWords.hasBits(first | second | differences(bytes, 80)) else { return false }
      return textCount <= FieldPrefixes.headCount
        || ByteWords.areEqual(
          text + FieldPrefixes.headCount, bytes + FieldPrefixes.headCount, count: textCount &- FieldPrefixes.headCount)
    }

    /// Returns the bits in which 16 bytes at an offset differ from the text. Bytes after the text are zero.
    @inline(__always)
    private func differences(_ bytes: UnsafeRawPointer, _ offset: Int) -> SIMD16<UInt8> {
      (ByteWords.vector(bytes + offset) ^ ByteWords.vector(text + offset)) & ByteWords.vector(mask + offset)
    }
  }

  /// The number of bytes at the beginning of a prefix that are compared under a mask: six vectors of 16 bytes.
  fileprivate static let headCount = 96

  /// The maximum number of cached prefixes. A number must fit in the 13 bits of a ``TypeKey`` part.
  static let countMax = 4096
  /// The maximum length of a cached prefix, in bytes.
  private static let textBytesMax = 512
  /// The number of slots, a power of two. At most a quarter of them is used, so probe sequences are short.
  private static let slotCount = 4 * countMax
  /// The limit of ``balance`` in both directions.
  private static let balanceMax = 100_000

  private let entries = Reference.allocate(capacity: countMax)
  /// The slots of the hash table: the number of an entry, or 0 for a free slot.
  private let slots = UnsafeMutablePointer<UInt16>.allocate(capacity: slotCount)
  private var count = 0
  /// The number of hits, at most ``balanceMax``, minus the number of misses since the cache became full. Below
  /// `-balanceMax`, lookups stop.
  private var balance = 0
  /// Whether lookups are worthwhile.
  private var isUseful = true

  /// ``headCount`` bytes of 0xFF, then as many zeros. The mask of every length is a subrange.
  private let masks = UnsafeMutableRawPointer.allocate(byteCount: 2 * headCount, alignment: 64)

  /// The predecessor of a line's first prefix. It matches no text.
  let none: Reference
  /// The placeholder for every prefix that is not cached. It matches no text.
  let elsewhere: Reference
  /// The plain prefixes, by index in ``fronts`` and then by raw value of the field.
  private let plain: Reference
  /// The texts before the key of a plain prefix.
  private static let fronts = [",", "{", "{\"v\":1,"]
  /// The index in ``fronts`` of a field that is not the first.
  private static let commaFront = 0
  /// The index in ``fronts`` of a line's first field.
  private static let braceFront = 1
  /// The index in ``fronts`` of the field after `v`, if `v` is the first field.
  private static let versionFront = 2
  private static let fieldCount = KnownField.allCases.count
  /// The number of built-in entries: ``none``, ``elsewhere`` and the plain prefixes.
  private static let plainCount = 2 + fronts.count * fieldCount

  /// Creates a cache that contains only the plain prefixes.
  init() {
    slots.initialize(repeating: 0, count: Self.slotCount)
    masks.initializeMemory(as: UInt8.self, repeating: 0xFF, count: Self.headCount)
    (masks + Self.headCount).initializeMemory(as: UInt8.self, repeating: 0, count: Self.headCount)
    let all = Reference.allocate(capacity: Self.plainCount)
    none = all
    elsewhere = all + 1
    plain = all + 2
    // The first two match no text: no line contains a zero byte.
    for index in 0..<2 { addPlain("\0", 0, [], next: .version, at: all + index) }
    for (front, start) in Self.fronts.enumerated() {
      for field in KnownField.allCases {
        let hasVersion = front == Self.versionFront
        let fields: [KnownField] = hasVersion ? [.version] : []
        // A delimiter, a key and a colon; with the version, also its key, colon, value and comma.
        let tokenCount = hasVersion ? 7 : 3
        addPlain(
          "\(start)\"\(field.text)\":", tokenCount, fields, next: field, at: plain + (front * Self.fieldCount + field.rawValue))
      }
    }
  }

  deinit {
    for index in 0..<count { entries[index].text.deallocate() }
    for index in 0..<Self.plainCount { none[index].text.deallocate() }
    entries.deallocate()
    none.deallocate()
    slots.deallocate()
    masks.deallocate()
  }

  /// Whether a cached prefix can begin with a field.
  @inline(__always)
  static func canBegin(with field: KnownField) -> Bool { repeating & field.bit != 0 }

  /// The fields with few distinct values, which make up the event's type, as a set of ``KnownField/bit``.
  private static let repeating =
    KnownField.name.bit | KnownField.app.bit | KnownField.flow.bit | KnownField.flowVersion.bit | KnownField.step.bit

  /// Whether a prefix can contain a field: one with few distinct values, or an empty object.
  ///
  /// - Parameters:
  ///   - text: The text, followed by padding.
  ///   - tokens: The positions of its tokens, starting with the delimiter before the field.
  static func canHold(_ field: KnownField, _ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>) -> Bool {
    switch field {
    case .props, .context: text[Int(tokens[3])] == Byte.openBrace && text[Int(tokens[4])] == Byte.closeBrace
    default: (repeating | KnownField.version.bit) & field.bit != 0
    }
  }

  /// Returns the cached prefix that begins at the first token, or `nil` if none is cached.
  ///
  /// - Parameters:
  ///   - text: The text, followed by padding.
  ///   - tokens: The positions of its tokens, starting with the delimiter that begins the prefix.
  ///   - field: The field after that delimiter.
  func find(
    _ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>, _ field: KnownField, _ names: FieldNames
  ) -> Reference? {
    let start = text + Int(tokens[0])
    guard Self.canBegin(with: field) else { return findPlain(text, tokens, field, names) }
    guard isUseful else { return nil }
    let hash = Self.hash(text, tokens, names)
    var slot = Self.slot(of: hash)
    while slots[slot] != 0 {
      let entry = entries + (Int(slots[slot]) &- 1)
      if entry.pointee.hash == hash, entry.pointee.stands(at: start) {
        balance = min(balance &+ 1, Self.balanceMax)
        return entry
      }
      slot = (slot &+ 1) & (Self.slotCount - 1)
    }
    return nil
  }

  /// Returns the plain prefix that begins at the first token, or `nil` if the text has another form.
  private func findPlain(
    _ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>, _ field: KnownField, _ names: FieldNames
  ) -> Reference? {
    let start = text + Int(tokens[0])
    let isFirst = start[0] == Byte.openBrace
    if field == .version, isFirst {
      let key = Int(tokens[5])
      let colon = Int(tokens[6])
      guard let next = names.field(text + (key &+ 1), count: colon &- key &- 2) else { return nil }
      let entry = plain + (Self.versionFront * Self.fieldCount + next.rawValue)
      return entry.pointee.stands(at: start) ? entry : nil
    }
    let front = isFirst ? Self.braceFront : Self.commaFront
    let entry = plain + (front * Self.fieldCount + field.rawValue)
    return entry.pointee.stands(at: start) ? entry : nil
  }

  /// Returns the first slot to probe for a hash.
  @inline(__always)
  private static func slot(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 20) & (slotCount - 1) }

  /// Returns a hash of the first value of a prefix and, if the next field is a part of the prefix too, of the
  /// second one. It includes no byte after the prefix.
  @inline(__always)
  private static func hash(_ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>, _ names: FieldNames) -> UInt64 {
    let bytes = UnsafeRawPointer(text)
    let key = Int(tokens[1])
    let comma = Int(tokens[4])
    // At least eight bytes precede the comma: the delimiter has one, the shortest key with its quotes and colon six,
    // the value one.
    let hash = ByteWords.fold(ByteWords.word(bytes + key + 8) ^ 0xA076_1D64_78BD_642F, ByteWords.word(bytes + comma - 8))
    let secondKey = Int(tokens[5])
    let secondColon = Int(tokens[6])
    guard let second = names.field(text + (secondKey &+ 1), count: secondColon &- secondKey &- 2), canBegin(with: second) else {
      return hash
    }
    return ByteWords.fold(hash ^ ByteWords.word(bytes + secondColon), 0x8EBC_6AF0_9C88_C6E3)
  }

  /// Caches a prefix with its parsed values, unless it is too long or the cache is full.
  ///
  /// - Parameters:
  ///   - text: The text, followed by padding.
  ///   - tokens: The positions of the text's tokens, starting with the first of the prefix.
  ///   - tokenCount: The number of tokens of the prefix.
  ///   - fields: The fields whose values the prefix contains, as a set of ``KnownField/bit``.
  ///   - next: The field whose value follows the prefix.
  ///   - event: The event that contains these values. They must point into the prefix.
  /// - Returns: The cached prefix, or ``elsewhere`` if it is not cached.
  func add(
    _ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>, tokenCount: Int, fields: UInt32, next: KnownField,
    of event: borrowing EventFields, _ names: FieldNames
  ) -> Reference {
    let start = UnsafeRawPointer(text + Int(tokens[0]))
    let textCount = Int(tokens[tokenCount &- 1]) &+ 1 &- Int(tokens[0])
    guard textCount <= Self.textBytesMax else { return elsewhere }
    guard count < Self.countMax else {
      balance -= 1
      if balance < -Self.balanceMax { isUseful = false }
      return elsewhere
    }
    let hash = Self.hash(text, tokens, names)
    let copy = Self.copy(start, count: textCount)
    /// Returns the bytes of the copy that correspond to the value of a field, or `nil` if the prefix does not
    /// contain the field.
    func moved(_ span: UnsafeRawBufferPointer?, _ field: KnownField) -> UnsafeRawBufferPointer? {
      guard fields & field.bit != 0, let span, let address = span.baseAddress else { return nil }
      return UnsafeRawBufferPointer(start: copy + (address - start), count: span.count)
    }
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    let entry = entries + count
    entry.initialize(
      to: Entry(
        textCount: textCount, text: copy, mask: mask(textCount), successor: none, number: UInt64(count + 1), hash: hash,
        tokenCount: tokenCount, fields: fields, next: next, name: moved(event.name, .name) ?? empty,
        app: moved(event.app, .app) ?? empty, flow: moved(event.flow, .flow), step: moved(event.step, .step),
        flowVersion: fields & KnownField.flowVersion.bit != 0 ? event.flowVersion : nil))
    count += 1
    var slot = Self.slot(of: hash)
    while slots[slot] != 0 { slot = (slot + 1) & (Self.slotCount - 1) }
    slots[slot] = UInt16(count)
    return entry
  }

  /// Initializes an entry with a plain prefix.
  private func addPlain(_ text: String, _ tokenCount: Int, _ fields: [KnownField], next: KnownField, at entry: Reference) {
    let count = text.utf8.count
    let copy = Array(text.utf8).withUnsafeBytes { Self.copy($0.baseAddress!, count: count) }
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    entry.initialize(
      to: Entry(
        textCount: count, text: copy, mask: mask(count), successor: none, number: 0, hash: 0, tokenCount: tokenCount,
        fields: fields.reduce(0) { $0 | $1.bit }, next: next, name: empty, app: empty, flow: nil, step: nil, flowVersion: nil))
  }

  /// Returns the mask of a text's bytes among its first ``headCount`` ones.
  private func mask(_ textCount: Int) -> UnsafeRawPointer {
    UnsafeRawPointer(masks) + (Self.headCount - min(textCount, Self.headCount))
  }

  /// Returns a copy followed by ``headCount`` zeros: vector comparisons read beyond the text. The caller
  /// deallocates it.
  private static func copy(_ text: UnsafeRawPointer, count: Int) -> UnsafeMutableRawPointer {
    let room = count + headCount
    let copy = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 16)
    copy.copyMemory(from: text, byteCount: count)
    (copy + count).initializeMemory(as: UInt8.self, repeating: 0, count: room - count)
    return copy
  }
}

extension EventFields {
  /// Sets the fields whose values a prefix contains.
  @inline(__always)
  mutating func take(_ prefix: FieldPrefixes.Reference) {
    let fields = prefix.pointee.fields
    if fields & KnownField.name.bit != 0 { name = prefix.pointee.name }
    if fields & KnownField.app.bit != 0 { app = prefix.pointee.app }
    if fields & KnownField.flow.bit != 0 { flow = prefix.pointee.flow }
    if fields & KnownField.flowVersion.bit != 0 { flowVersion = prefix.pointee.flowVersion }
    if fields & KnownField.step.bit != 0 { step = prefix.pointee.step }
  }
}

/// A number that identifies an event's type, composed of the numbers of its cached field prefixes.
///
/// An event has a key only if cached prefixes set all fields of its type.
struct TypeKey {
  /// The key, or 0 if the event has none.
  private(set) var value: UInt64 = 0
  private var isSpoilt = false

  /// The bits of a prefix number: ``FieldPrefixes/countMax`` needs 13.
  private static let partBits: UInt64 = 13
  /// The bits before the last part that fits: there is room for four.
  private static let fullBits = 3 * partBits

  /// Appends the number of a prefix that is not plain.
  @inline(__always)
  mutating func append(_ prefix: UInt64) {
    assert(prefix > 0 && prefix >> Self.partBits == 0, "the number does not fit in a part")
    // A fifth prefix leaves the event without a key.
    if value >> Self.fullBits != 0 { spoil() }
    value = isSpoilt ? 0 : value << Self.partBits | prefix
  }

  /// Discards the key, because a field of the type is not in a cached prefix.
  @inline(__always)
  mutating func spoil() {
    isSpoilt = true
    value = 0
  }
}
