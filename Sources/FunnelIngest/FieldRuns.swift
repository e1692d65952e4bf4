import FunnelModel

/// The runs of fields that came before, byte for byte: what an event is called, and in which app, flow and step it happened, is said with
/// few different words, field by field in one order.
///
/// A run begins with the key of such a field and ends behind the colon of the first field that says something else, such as `"subject":`. Of a
/// run that was read before it is known that it is valid and what it says. Nothing that is in is ever given up. Not to be shared between threads.
final class FieldRuns {
  /// What is known of a run.
  struct Entry {
    fileprivate var hash: UInt64
    fileprivate var text: UnsafeMutableRawPointer
    fileprivate var textCount: Int
    /// Its number among all runs, from 1.
    fileprivate(set) var number: UInt64
    /// How many tokens it has, the key and the colon behind it included.
    var tokenCount: Int
    /// The fields it has a value for, by ``KnownField/bit``.
    var fields: UInt32
    /// The field whose value comes next.
    var next: KnownField
    // The values; their texts lie in the copy of the text.
    var name: UnsafeRawBufferPointer
    var app: UnsafeRawBufferPointer
    var flow: UnsafeRawBufferPointer?
    var step: UnsafeRawBufferPointer?
    var flowVersion: Int64?
  }

  /// Most runs that are kept, shortest and longest one.
  static let countMax = 4096
  private static let textBytes = 16...512
  private static let slotCount = 4 * countMax

  private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: countMax)
  private let slots = UnsafeMutablePointer<UInt16>.allocate(capacity: slotCount)
  private var count = 0
  /// How often a run was found, less how often not, once there is no room for more; where that goes far below 0, looking is given up.
  private var balance = 0
  /// Whether it is worth looking.
  private(set) var isUseful = true

  init() {
    slots.initialize(repeating: 0, count: Self.slotCount)
  }

  deinit {
    for index in 0..<count { entries[index].text.deallocate() }
    entries.deallocate()
    slots.deallocate()
  }

  /// Whether a field is of those that say little different: a run consists of them, and of empty objects.
  @inline(__always)
  static func hasFewValues(_ field: KnownField) -> Bool { words & field.bit != 0 }

  private static let words =
    KnownField.name.bit | KnownField.app.bit | KnownField.flow.bit | KnownField.flowVersion.bit | KnownField.step.bit

  /// A hash of the beginning of a run: its first value and, where the field behind it may be part of the run, that one's. It takes in nothing that
  /// may lie behind the run's end.
  ///
  /// - Parameters:
  ///   - tokens: The positions of the run's tokens, in a text with padding behind it.
  ///   - names: What tells the fields.
  @inline(__always)
  static func hash(_ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>, _ names: FieldNames) -> UInt64 {
    let bytes = UnsafeRawPointer(text)
    let (key, comma) = (Int(tokens[0]), Int(tokens[3]))
    // What stands in front of the comma lies behind the key's first byte: no name and value are shorter than that.
    let hash = ByteWords.fold(ByteWords.word(bytes + key + 8) ^ 0xA076_1D64_78BD_642F, ByteWords.word(bytes + comma - 8))
    let (secondKey, secondColon) = (Int(tokens[4]), Int(tokens[5]))
    guard let second = names.field(text + secondKey + 1, count: secondColon &- secondKey &- 2), hasFewValues(second) else {
      return hash
    }
    return ByteWords.fold(hash ^ ByteWords.word(bytes + secondColon), 0x8EBC_6AF0_9C88_C6E3)
  }

  /// The run that begins at a place of a text with padding behind it, nil where it is new.
  @inline(__always)
  func find(_ text: UnsafePointer<UInt8>, hash: UInt64) -> UnsafePointer<Entry>? {
    var slot = Int(truncatingIfNeeded: hash >> 20) & (Self.slotCount - 1)
    while slots[slot] != 0 {
      let entry = entries + (Int(slots[slot]) &- 1)
      if entry.pointee.hash == hash, ByteWords.areEqual(entry.pointee.text, text, count: entry.pointee.textCount) {
        balance = min(balance &+ 1, 100_000)
        return UnsafePointer(entry)
      }
      slot = (slot &+ 1) & (Self.slotCount - 1)
    }
    return nil
  }

  /// Keeps what a run was read as.
  ///
  /// - Parameters:
  ///   - tokenCount: How many tokens it has.
  ///   - fields: The fields it has a value for.
  ///   - next: The field whose value comes next.
  ///   - event: The event it is part of, whose values lie in the run.
  func add(
    _ text: UnsafePointer<UInt8>, count textCount: Int, hash: UInt64, tokenCount: Int, fields: UInt32, next: KnownField,
    of event: borrowing EventFields
  ) {
    guard Self.textBytes.contains(textCount) else { return }
    guard count < Self.countMax else {
      balance -= 1
      if balance < -100_000 { isUseful = false }
      return
    }
    let copy = UnsafeMutableRawPointer.allocate(byteCount: textCount + LineParser.paddingBytes, alignment: 8)
    copy.copyMemory(from: text, byteCount: textCount)
    (copy + textCount).initializeMemory(as: UInt8.self, repeating: 0, count: LineParser.paddingBytes)
    func moved(_ span: UnsafeRawBufferPointer?, _ field: KnownField) -> UnsafeRawBufferPointer? {
      guard fields & field.bit != 0, let span, let start = span.baseAddress else { return nil }
      return UnsafeRawBufferPointer(start: copy + (start - UnsafeRawPointer(text)), count: span.count)
    }
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    (entries + count).initialize(
      to: Entry(
        hash: hash, text: copy, textCount: textCount, number: UInt64(count + 1), tokenCount: tokenCount, fields: fields, next: next,
        name: moved(event.name, .name) ?? none, app: moved(event.app, .app) ?? none, flow: moved(event.flow, .flow),
        step: moved(event.step, .step), flowVersion: fields & KnownField.flowVersion.bit != 0 ? event.flowVersion : nil))
    count += 1
    var slot = Int(truncatingIfNeeded: hash >> 20) & (Self.slotCount - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (Self.slotCount - 1) }
    slots[slot] = UInt16(count)
  }
}

extension EventFields {
  /// Takes over what a run says.
  @inline(__always)
  mutating func take(_ run: UnsafePointer<FieldRuns.Entry>) {
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
