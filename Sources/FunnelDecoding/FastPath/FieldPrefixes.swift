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
  /// A reference to a cached prefix.
  typealias EntryReference = Reference<FieldPrefix>

  /// The maximum number of cached prefixes. A number must fit in the 13 bits of a ``TypeKey`` part.
  static let countMax = 4096
  /// The maximum length of a cached prefix, in bytes.
  private static let textBytesMax = 512
  /// The number of slots, a power of two. At most a quarter of them is used, so probe sequences are short.
  private static let slotCount = 4 * countMax
  /// The limit of ``balance`` in both directions.
  private static let balanceMax = 100_000

  private let arena = Arena()
  private let entries: Table<FieldPrefix>
  /// The slots of the hash table: the number of an entry, or 0 for a free slot.
  private let slots: Table<UInt16>
  private var count = 0
  /// The number of hits, at most ``balanceMax``, minus the number of misses since the cache became full. Below
  /// `-balanceMax`, lookups stop.
  private var balance = 0
  /// Whether lookups are worthwhile.
  private var isUseful = true

  /// ``FieldPrefix/headBytes`` bytes of 0xFF, then as many zeros. The mask of every length is a subrange.
  private let masks: Table<UInt8>

  /// The predecessor of a line's first prefix. It matches no text.
  let none: EntryReference
  /// The placeholder for every prefix that is not cached. It matches no text.
  let elsewhere: EntryReference
  /// The plain prefixes, by index in ``fronts`` and then by raw value of the field.
  private let plain: Table<FieldPrefix>
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
    entries = arena.table(count: Self.countMax)
    slots = arena.table(repeating: 0, count: Self.slotCount)
    masks = arena.table(repeating: 0, count: 2 * FieldPrefix.headBytes)
    masks.fill(0..<FieldPrefix.headBytes, with: 0xFF)
    let all = arena.table(of: FieldPrefix.self, count: Self.plainCount)
    none = all.reference(to: 0)
    elsewhere = all.reference(to: 1)
    plain = all[2..<all.count]
    // The first two match no text: no line contains a zero byte.
    none.value = plainPrefix("\0", tokenCount: 0, fields: 0, next: .version)
    elsewhere.value = none.value
    for (front, start) in Self.fronts.enumerated() {
      for field in KnownField.allCases {
        let hasVersion = front == Self.versionFront
        // A delimiter, a key and a colon; with the version, also its key, colon, value and comma.
        plain[front * Self.fieldCount + field.rawValue] = plainPrefix(
          "\(start)\"\(field.text)\":", tokenCount: hasVersion ? 7 : 3, fields: hasVersion ? KnownField.version.bit : 0,
          next: field)
      }
    }
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
  ///   - batch: The lines.
  ///   - token: The delimiter before the field.
  static func canHold(_ field: KnownField, in batch: LineBatch, at token: Int) -> Bool {
    switch field {
    case .props, .context:
      batch.byte(ofToken: token &+ 3) == Byte.openBrace && batch.byte(ofToken: token &+ 4) == Byte.closeBrace
    default: (repeating | KnownField.version.bit) & field.bit != 0
    }
  }

  /// Returns the cached prefix that begins at a token, or `nil` if none is cached.
  ///
  /// - Parameters:
  ///   - batch: The lines.
  ///   - token: The delimiter that begins the prefix.
  ///   - field: The field after that delimiter.
  func find(in batch: LineBatch, at token: Int, _ field: KnownField, _ names: FieldNames) -> EntryReference? {
    guard Self.canBegin(with: field) else { return findPlain(in: batch, at: token, field, names) }
    guard isUseful else { return nil }
    let start = batch.offset(ofToken: token)
    let hash = Self.hash(batch, token, names)
    var slot = Self.slot(of: hash)
    while slots[slot] != 0 {
      let entry = entries.reference(to: Int(slots[slot]) &- 1)
      if entry.value.hash == hash, entry.value.matches(batch.text, at: start) {
        balance = min(balance &+ 1, Self.balanceMax)
        return entry
      }
      slot = (slot &+ 1) & (Self.slotCount - 1)
    }
    return nil
  }

  /// Returns the plain prefix that begins at a token, or `nil` if the text has another form.
  private func findPlain(
    in batch: LineBatch, at token: Int, _ field: KnownField, _ names: FieldNames
  ) -> EntryReference? {
    var front = Self.commaFront
    var next = field
    if batch.byte(ofToken: token) == Byte.openBrace {
      front = Self.braceFront
      if field == .version {
        guard let second = names.field(batch.key(atToken: token &+ 5)) else { return nil }
        front = Self.versionFront
        next = second
      }
    }
    let entry = plain.reference(to: front * Self.fieldCount + next.rawValue)
    return entry.value.matches(batch.text, at: batch.offset(ofToken: token)) ? entry : nil
  }

  /// Returns the first slot to probe for a hash.
  @inline(__always)
  private static func slot(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 20) & (slotCount - 1) }

  /// Returns a hash of the first value of a prefix and, if the next field is a part of the prefix too, of the
  /// second one. It includes no byte after the prefix.
  @inline(__always)
  private static func hash(_ batch: LineBatch, _ token: Int, _ names: FieldNames) -> UInt64 {
    let key = batch.offset(ofToken: token &+ 1)
    let comma = batch.offset(ofToken: token &+ 4)
    // At least eight bytes precede the comma: the delimiter has one, the shortest key with its quotes and colon six,
    // the value one.
    let hash = ByteWords.fold(
      batch.text.word(at: key &+ 8) ^ 0xA076_1D64_78BD_642F, batch.text.word(at: comma &- 8))
    guard let second = names.field(batch.key(atToken: token &+ 5)), canBegin(with: second) else { return hash }
    return ByteWords.fold(
      hash ^ batch.text.word(at: batch.offset(ofToken: token &+ 6)), 0x8EBC_6AF0_9C88_C6E3)
  }

  /// Caches a prefix with its parsed values, unless it is too long or the cache is full.
  ///
  /// - Parameters:
  ///   - batch: The lines.
  ///   - tokens: The tokens of the prefix.
  ///   - fields: The fields whose values the prefix contains, as a set of ``KnownField/bit``.
  ///   - next: The field whose value follows the prefix.
  ///   - event: The event that contains these values. They must be parts of the prefix.
  /// - Returns: The cached prefix, or ``elsewhere`` if it is not cached.
  func add(
    _ batch: LineBatch, _ tokens: Range<Int>, fields: UInt32, next: KnownField, of event: borrowing EventFields,
    _ names: FieldNames
  ) -> EntryReference {
    let start = batch.offset(ofToken: tokens.lowerBound)
    let text = batch.text.text(at: start, count: batch.offset(ofToken: tokens.upperBound - 1) + 1 - start)
    guard text.count <= Self.textBytesMax else { return elsewhere }
    guard count < Self.countMax else {
      balance -= 1
      if balance < -Self.balanceMax { isUseful = false }
      return elsewhere
    }
    let hash = Self.hash(batch, tokens.lowerBound, names)
    let copy = arena.copy(text, zeroCount: FieldPrefix.headBytes)
    /// Returns the bytes of the copy that correspond to the value of a field, or `nil` if the prefix does not
    /// contain the field.
    func moved(_ value: PaddedText?, _ field: KnownField) -> PaddedText? {
      guard fields & field.bit != 0, let value else { return nil }
      return copy.text(at: text.offset(of: value), count: value.count)
    }
    entries[count] = FieldPrefix(
      textCount: text.count, text: copy, mask: mask(text.count), successor: none, number: UInt64(count + 1), hash: hash,
      tokenCount: tokens.count, fields: fields, next: next, name: moved(PaddedText(event.name), .name),
      app: moved(PaddedText(event.app), .app), flow: moved(event.flow.map(PaddedText.init), .flow),
      step: moved(event.step.map(PaddedText.init), .step),
      flowVersion: fields & KnownField.flowVersion.bit != 0 ? event.flowVersion : nil)
    let entry = entries.reference(to: count)
    count += 1
    var slot = Self.slot(of: hash)
    while slots[slot] != 0 { slot = (slot + 1) & (Self.slotCount - 1) }
    slots[slot] = UInt16(count)
    return entry
  }

  /// Returns a plain prefix.
  private func plainPrefix(_ text: String, tokenCount: Int, fields: UInt32, next: KnownField) -> FieldPrefix {
    let copy = PaddedCopy(text.utf8)
    let text = PaddedText(copy.view)
    defer { withExtendedLifetime(copy) {} }
    return FieldPrefix(
      textCount: text.count, text: arena.copy(text, zeroCount: FieldPrefix.headBytes), mask: mask(text.count),
      successor: none, number: 0, hash: 0, tokenCount: tokenCount, fields: fields, next: next, name: nil, app: nil, flow: nil,
      step: nil, flowVersion: nil)
  }

  /// Returns the mask of a text's bytes among its first ``FieldPrefix/headBytes`` ones.
  private func mask(_ textCount: Int) -> Table<UInt8> {
    let start = FieldPrefix.headBytes - min(textCount, FieldPrefix.headBytes)
    return masks[start..<start + FieldPrefix.headBytes]
  }
}
