import FunnelModel

/// A cache of runs of envelope fields, recognized by comparing bytes. An event's name, app, flow and step have few different values and
/// mostly come in the same order.
///
/// A run begins with the delimiter in front of such a field and ends behind the colon of the first field with other values, as in
/// `,"name":"step_viewed","app":"trendy","subject":`. A cached run is known to be valid, and its values are known. Plain runs, such as
/// `,"ts":`, set no field of the event and are known from the start. The next run is predicted from the last one.
///
/// Entries are never evicted. Not to be shared between threads.
final class FieldPrefixes {
  typealias Reference = UnsafeMutablePointer<Entry>

  /// A cached run.
  struct Entry {
    /// The length of the text, in bytes.
    let textCount: Int
    /// The text, followed by zeros.
    fileprivate let text: UnsafeMutableRawPointer
    /// A mask with ones for the text's first bytes, followed by zeros; see ``headCount``.
    fileprivate let mask: UnsafeRawPointer
    /// The run that followed this one last time: the prediction for the next time.
    var successor: Reference
    /// The number of the run among those that set fields, from 1; 0 for a plain run.
    let number: UInt64
    fileprivate let hash: UInt64
    /// The number of tokens, from the delimiter in front to the last colon.
    let tokenCount: Int
    /// The fields the run has a value for, as a set of ``KnownField/bit``.
    let fields: UInt32
    /// The field whose value follows the run.
    let next: KnownField
    // The values. Their bytes are in the copy of the text.
    fileprivate let name: UnsafeRawBufferPointer
    fileprivate let app: UnsafeRawBufferPointer
    fileprivate let flow: UnsafeRawBufferPointer?
    fileprivate let step: UnsafeRawBufferPointer?
    fileprivate let flowVersion: Int64?

    /// Whether the run sets no field of the event's type and fits into two words.
    var isShortAndPlain: Bool { number == 0 && textCount <= 16 }

    /// The first two words of the text, padded with zeros.
    var words: (UInt64, UInt64) { (ByteWords.word(text), ByteWords.word(text + 8)) }

    /// The masks of the bytes of ``words`` that belong to the text.
    var wordMasks: (UInt64, UInt64) { (ByteWords.word(mask), ByteWords.word(mask + 8)) }

    /// The offset behind the event's name in the text, or nil if the run has no name.
    var nameEnd: Int? {
      name.baseAddress.map { $0 - UnsafeRawPointer(text) + name.count }
    }

    /// Returns whether the bytes at a place are those of the run. Padding must follow them.
    ///
    /// The first 96 bytes, more than most runs have, are compared under a mask, without a branch for each length: such a branch can't be
    /// predicted.
    @inline(__always)
    func stands(at place: UnsafePointer<UInt8>) -> Bool {
      let place = UnsafeRawPointer(place)
      guard !ByteWords.hasBits(differences(place, 0)) else { return false }
      guard textCount > 16 else { return true }
      let first = differences(place, 16) | differences(place, 32)
      let second = differences(place, 48) | differences(place, 64)
      guard !ByteWords.hasBits(first | second | differences(place, 80)) else { return false }
      return textCount <= FieldPrefixes.headCount
        || ByteWords.areEqual(
          text + FieldPrefixes.headCount, place + FieldPrefixes.headCount, count: textCount &- FieldPrefixes.headCount)
    }

    @inline(__always)
    private func differences(_ place: UnsafeRawPointer, _ offset: Int) -> SIMD16<UInt8> {
      (ByteWords.vector(place + offset) ^ ByteWords.vector(text + offset)) & ByteWords.vector(mask + offset)
    }
  }

  /// The number of bytes at the beginning of a run that are compared under a mask.
  fileprivate static let headCount = 96

  /// The maximum number of cached runs, and the maximum length of one, in bytes.
  static let countMax = 4096
  private static let textBytesMax = 512
  private static let slotCount = 4 * countMax

  private let entries = Reference.allocate(capacity: countMax)
  private let slots = UnsafeMutablePointer<UInt16>.allocate(capacity: slotCount)
  private var count = 0
  /// The number of hits, minus that of misses since the cache was full. Far below 0, lookups stop.
  private var balance = 0
  private var isUseful = true

  /// ``headCount`` bytes of ones and as many zeros: the mask of every length is a part of it.
  private let masks = UnsafeMutableRawPointer.allocate(byteCount: 2 * headCount, alignment: 64)

  /// The run that precedes the first one of a line.
  let none: Reference
  /// A placeholder for every run that is not cached.
  let elsewhere: Reference
  /// The plain runs, by the text in front and then by the field behind it.
  private let plain: Reference
  private static let fronts = [",", "{", "{\"v\":1,"]
  private static let fieldCount = KnownField.allCases.count
  private static let plainCount = 2 + fronts.count * fieldCount

  init() {
    slots.initialize(repeating: 0, count: Self.slotCount)
    masks.initializeMemory(as: UInt8.self, repeating: 0xFF, count: Self.headCount)
    (masks + Self.headCount).initializeMemory(as: UInt8.self, repeating: 0, count: Self.headCount)
    let all = Reference.allocate(capacity: Self.plainCount)
    (none, elsewhere, plain) = (all, all + 1, all + 2)
    // These two match nowhere: no line contains a zero byte.
    for index in 0..<2 { addPlain("\0", 0, [], next: .version, at: all + index) }
    for (front, start) in Self.fronts.enumerated() {
      for field in KnownField.allCases {
        let (fields, tokenCount): ([KnownField], Int) = front == 2 ? ([.version], 7) : ([], 3)
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

  /// Returns whether a run can begin with a field.
  @inline(__always)
  static func canBegin(with field: KnownField) -> Bool { words & field.bit != 0 }

  private static let words =
    KnownField.name.bit | KnownField.app.bit | KnownField.flow.bit | KnownField.flowVersion.bit | KnownField.step.bit

  /// Returns whether a run can include the field behind a delimiter: another field with few values, or an empty object.
  static func canHold(_ field: KnownField, _ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>) -> Bool {
    switch field {
    case .props, .context: text[Int(tokens[3])] == Byte.openBrace && text[Int(tokens[4])] == Byte.closeBrace
    default: (words | KnownField.version.bit) & field.bit != 0
    }
  }

  /// Returns the cached run at a place, or nil if it is new.
  ///
  /// - Parameters:
  ///   - text: The text, followed by padding.
  ///   - tokens: The positions of its tokens, starting with the delimiter that begins the run.
  ///   - field: The field behind that delimiter.
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
        balance = min(balance &+ 1, 100_000)
        return entry
      }
      slot = (slot &+ 1) & (Self.slotCount - 1)
    }
    return nil
  }

  private func findPlain(
    _ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>, _ field: KnownField, _ names: FieldNames
  ) -> Reference? {
    let start = text + Int(tokens[0])
    let isFirst = start[0] == Byte.openBrace
    if field == .version, isFirst {
      let (key, colon) = (Int(tokens[5]), Int(tokens[6]))
      guard let next = names.field(text + (key &+ 1), count: colon &- key &- 2) else { return nil }
      let entry = plain + (2 * Self.fieldCount + next.rawValue)
      return entry.pointee.stands(at: start) ? entry : nil
    }
    let entry = plain + ((isFirst ? Self.fieldCount : 0) + field.rawValue)
    return entry.pointee.stands(at: start) ? entry : nil
  }

  @inline(__always)
  private static func slot(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 20) & (slotCount - 1) }

  /// Returns a hash of a run's beginning: its first value and, if the next field belongs to the run too, that field's value. So it includes
  /// no byte behind the run's end.
  @inline(__always)
  private static func hash(_ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>, _ names: FieldNames) -> UInt64 {
    let bytes = UnsafeRawPointer(text)
    let (key, comma) = (Int(tokens[1]), Int(tokens[4]))
    // Every key and value that can begin a run have at least eight bytes in front of the comma.
    let hash = ByteWords.fold(ByteWords.word(bytes + key + 8) ^ 0xA076_1D64_78BD_642F, ByteWords.word(bytes + comma - 8))
    let (secondKey, secondColon) = (Int(tokens[5]), Int(tokens[6]))
    guard let second = names.field(text + (secondKey &+ 1), count: secondColon &- secondKey &- 2), canBegin(with: second) else {
      return hash
    }
    return ByteWords.fold(hash ^ ByteWords.word(bytes + secondColon), 0x8EBC_6AF0_9C88_C6E3)
  }

  /// Caches a run with the values it was read as.
  ///
  /// - Parameters:
  ///   - tokens: The positions of the text's tokens, starting with the first of the run.
  ///   - tokenCount: The number of the run's tokens.
  ///   - fields: The fields the run has a value for.
  ///   - next: The field whose value follows the run.
  ///   - event: The event the run belongs to, whose values for these fields are within the run.
  /// - Returns: The cached run, or ``elsewhere`` if it was not cached.
  func add(
    _ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>, tokenCount: Int, fields: UInt32, next: KnownField,
    of event: borrowing EventFields, _ names: FieldNames
  ) -> Reference {
    let start = UnsafeRawPointer(text + Int(tokens[0]))
    let textCount = Int(tokens[tokenCount &- 1]) &+ 1 &- Int(tokens[0])
    guard textCount <= Self.textBytesMax else { return elsewhere }
    guard count < Self.countMax else {
      balance -= 1
      if balance < -100_000 { isUseful = false }
      return elsewhere
    }
    let hash = Self.hash(text, tokens, names)
    let copy = Self.copy(start, count: textCount)
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

  /// Adds a plain run.
  private func addPlain(_ text: String, _ tokenCount: Int, _ fields: [KnownField], next: KnownField, at place: Reference) {
    let count = text.utf8.count
    let copy = Array(text.utf8).withUnsafeBytes { Self.copy($0.baseAddress!, count: count) }
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    place.initialize(
      to: Entry(
        textCount: count, text: copy, mask: mask(count), successor: none, number: 0, hash: 0, tokenCount: tokenCount,
        fields: fields.reduce(0) { $0 | $1.bit }, next: next, name: empty, app: empty, flow: nil, step: nil, flowVersion: nil))
  }

  private func mask(_ textCount: Int) -> UnsafeRawPointer {
    UnsafeRawPointer(masks) + (Self.headCount - min(textCount, Self.headCount))
  }

  /// Returns a copy followed by ``headCount`` zeros, so that a run shorter than the compared bytes can be read in full.
  private static func copy(_ text: UnsafeRawPointer, count: Int) -> UnsafeMutableRawPointer {
    let room = count + headCount
    let copy = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 16)
    copy.copyMemory(from: text, byteCount: count)
    (copy + count).initializeMemory(as: UInt8.self, repeating: 0, count: room - count)
    return copy
  }
}

extension EventFields {
  /// Sets the fields the run has values for.
  @inline(__always)
  mutating func take(_ run: FieldPrefixes.Reference) {
    let fields = run.pointee.fields
    if fields & KnownField.name.bit != 0 { name = run.pointee.name }
    if fields & KnownField.app.bit != 0 { app = run.pointee.app }
    if fields & KnownField.flow.bit != 0 { flow = run.pointee.flow }
    if fields & KnownField.flowVersion.bit != 0 { flowVersion = run.pointee.flowVersion }
    if fields & KnownField.step.bit != 0 { step = run.pointee.step }
  }
}

/// A number for the type of an event, composed of the numbers of its runs, if cached runs set all fields of the type.
struct TypeKey {
  /// The number; 0 if there is none.
  private(set) var value: UInt64 = 0
  private var isSpoilt = false

  /// Appends the number of a run.
  @inline(__always)
  mutating func append(_ run: UInt64) {
    // There is room for four numbers of 13 bits; a fifth run leaves the event without a key.
    if value >> 39 != 0 { spoil() }
    value = isSpoilt ? 0 : value << 13 | run
  }

  /// Drops the number, because a field of the type is not in a cached run.
  @inline(__always)
  mutating func spoil() {
    isSpoilt = true
    value = 0
  }
}
