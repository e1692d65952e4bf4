import FunnelModel

/// The runs of fields that came before, byte for byte: what an event is called, and in which app, flow and step it happened, is said with
/// few different words, field by field in one order.
///
/// A run begins with the delimiter in front of such a field and ends behind the colon of the first field that says something else, as in
/// `,"name":"step_viewed","app":"trendy","subject":`. Of a run that was read before it is known that it is valid and what it says. Plain runs,
/// such as `,"ts":`, say nothing and are known from the start. Which run comes next is guessed from the last one.
///
/// Nothing that is in is ever given up. Not to be shared between threads.
final class FieldRuns {
  typealias Reference = UnsafeMutablePointer<Entry>

  /// What is known of a run.
  struct Entry {
    /// How many bytes it has.
    let textCount: Int
    /// The text, with zeros behind it.
    fileprivate let text: UnsafeMutableRawPointer
    /// Ones for each of the text's first bytes, and zeros; see ``headCount``.
    fileprivate let mask: UnsafeRawPointer
    /// The run that came after it last.
    var successor: Reference
    /// Its number among all runs that say something, from 1; 0 for a plain one.
    let number: UInt64
    fileprivate let hash: UInt64
    /// How many tokens it has, from the delimiter in front to the last colon.
    let tokenCount: Int
    /// The fields it has a value for, by ``KnownField/bit``.
    let fields: UInt32
    /// The field whose value comes next.
    let next: KnownField
    // The values; their texts lie in the copy of the text.
    fileprivate let name: UnsafeRawBufferPointer
    fileprivate let app: UnsafeRawBufferPointer
    fileprivate let flow: UnsafeRawBufferPointer?
    fileprivate let step: UnsafeRawBufferPointer?
    fileprivate let flowVersion: Int64?

    /// Whether it says nothing of an event's type and fits into two words.
    var isShortAndPlain: Bool { number == 0 && textCount <= 16 }

    /// The first two words, with zeros behind the text.
    var words: (UInt64, UInt64) { (ByteWords.word(text), ByteWords.word(text + 8)) }

    /// Which bytes of ``words`` the text has.
    var wordMasks: (UInt64, UInt64) { (ByteWords.word(mask), ByteWords.word(mask + 8)) }

    /// Where its name ends; nil where it has none.
    var nameEnd: Int? {
      name.baseAddress.map { $0 - UnsafeRawPointer(text) + name.count }
    }

    /// Whether the run stands at a place of a text with padding behind it.
    ///
    /// Its first 96 bytes, which few have more of, are compared without a branch that would depend on their number: that can't be foreseen.
    @inline(__always)
    func stands(at place: UnsafePointer<UInt8>) -> Bool {
      let place = UnsafeRawPointer(place)
      guard differences(place, 0) == SIMD2() else { return false }
      guard textCount > 16 else { return true }
      let first = differences(place, 16) | differences(place, 32)
      let second = differences(place, 48) | differences(place, 64)
      guard first | second | differences(place, 80) == SIMD2() else { return false }
      return textCount <= FieldRuns.headCount
        || ByteWords.areEqual(text + FieldRuns.headCount, place + FieldRuns.headCount, count: textCount &- FieldRuns.headCount)
    }

    @inline(__always)
    private func differences(_ place: UnsafeRawPointer, _ offset: Int) -> SIMD2<UInt64> {
      (ByteWords.pair(place + offset) ^ ByteWords.pair(text + offset)) & ByteWords.pair(mask + offset)
    }
  }

  /// Bytes at a run's beginning that are compared at once.
  fileprivate static let headCount = 96

  /// Most runs that are kept, and longest one.
  static let countMax = 4096
  private static let textBytesMax = 512
  private static let slotCount = 4 * countMax

  private let entries = Reference.allocate(capacity: countMax)
  private let slots = UnsafeMutablePointer<UInt16>.allocate(capacity: slotCount)
  private var count = 0
  /// How often a run was found, less how often not, once there is no room for more; where that goes far below 0, looking is given up.
  private var balance = 0
  private var isUseful = true

  /// As many ones as ``headCount``, and as many zeros.
  private let masks = UnsafeMutableRawPointer.allocate(byteCount: 2 * headCount, alignment: 64)

  /// The run in front of a line.
  let none: Reference
  /// A run that is not kept.
  let elsewhere: Reference
  /// Plain runs by what stands in front and the field behind.
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
    // These two stand nowhere: no line holds a zero.
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

  /// Whether a run begins with a field.
  @inline(__always)
  static func canBegin(with field: KnownField) -> Bool { words & field.bit != 0 }

  private static let words =
    KnownField.name.bit | KnownField.app.bit | KnownField.flow.bit | KnownField.flowVersion.bit | KnownField.step.bit

  /// Whether a run goes on with the field behind a delimiter: with another one of few values, or an empty object.
  static func canHold(_ field: KnownField, _ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>) -> Bool {
    switch field {
    case .props, .context: text[Int(tokens[3])] == Byte.openBrace && text[Int(tokens[4])] == Byte.closeBrace
    default: (words | KnownField.version.bit) & field.bit != 0
    }
  }

  /// The run at a place, nil where it is new.
  ///
  /// - Parameters:
  ///   - text: A text with padding behind it.
  ///   - tokens: The positions of its tokens, from the delimiter on with which the run begins.
  ///   - field: The field behind that.
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

  /// A hash of the beginning of a run: its first value and, where the field behind it is part of the run too, that one's. So it takes in nothing
  /// that lies behind the run's end.
  @inline(__always)
  private static func hash(_ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>, _ names: FieldNames) -> UInt64 {
    let bytes = UnsafeRawPointer(text)
    let (key, comma) = (Int(tokens[1]), Int(tokens[4]))
    // No name and value that begin a run are so short that there were not eight bytes in front of the comma.
    let hash = ByteWords.fold(ByteWords.word(bytes + key + 8) ^ 0xA076_1D64_78BD_642F, ByteWords.word(bytes + comma - 8))
    let (secondKey, secondColon) = (Int(tokens[5]), Int(tokens[6]))
    guard let second = names.field(text + (secondKey &+ 1), count: secondColon &- secondKey &- 2), canBegin(with: second) else {
      return hash
    }
    return ByteWords.fold(hash ^ ByteWords.word(bytes + secondColon), 0x8EBC_6AF0_9C88_C6E3)
  }

  /// Keeps what a run was read as.
  ///
  /// - Parameters:
  ///   - tokens: The positions of the text's tokens, from the run's first on.
  ///   - tokenCount: How many the run has.
  ///   - fields: The fields it has a value for.
  ///   - next: The field whose value comes next.
  ///   - event: The event it is part of, whose values lie in the run.
  /// - Returns: the run, or ``elsewhere`` where it is not kept.
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

  /// A copy with zeros behind it, also where the run is shorter than what is compared of each.
  private static func copy(_ text: UnsafeRawPointer, count: Int) -> UnsafeMutableRawPointer {
    let room = count + headCount
    let copy = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 16)
    copy.copyMemory(from: text, byteCount: count)
    (copy + count).initializeMemory(as: UInt8.self, repeating: 0, count: room - count)
    return copy
  }
}

extension EventFields {
  /// Takes over what a run says.
  @inline(__always)
  mutating func take(_ run: FieldRuns.Reference) {
    let fields = run.pointee.fields
    if fields & KnownField.name.bit != 0 { name = run.pointee.name }
    if fields & KnownField.app.bit != 0 { app = run.pointee.app }
    if fields & KnownField.flow.bit != 0 { flow = run.pointee.flow }
    if fields & KnownField.flowVersion.bit != 0 { flowVersion = run.pointee.flowVersion }
    if fields & KnownField.step.bit != 0 { step = run.pointee.step }
  }
}

/// A number for what the runs of an event say of its type, where all of that is said by known runs.
struct TypeKey {
  /// 0 where there is none.
  private(set) var value: UInt64 = 0
  private var isSpoilt = false

  /// Adds a run.
  @inline(__always)
  mutating func append(_ run: UInt64) {
    // Four runs have room, and no event has more.
    if value >> 39 != 0 { spoil() }
    value = isSpoilt ? 0 : value << 13 | run
  }

  /// Notes that something of the type is said elsewhere.
  @inline(__always)
  mutating func spoil() {
    isSpoilt = true
    value = 0
  }
}
